import type { ProjectMilestoneRow, ProjectRow, ProjectStatusRow, TeamRow, UserRow } from '../rows.js';
import type { Workspace } from '../state.js';
import { constants, editorState, listOf, priorityLabels, type Resolvers, slugOf, webAddress } from './resolver.js';

/** URL of a project. */
export function projectAddress(project: ProjectRow): string {
  return `${webAddress}/project/${slugOf(project.name)}-${project.slugId}`;
}

function issuesOf(workspace: Workspace, project: ProjectRow) {
  return workspace.issues.where('projectId', project.id);
}

function progressOf(workspace: Workspace, project: ProjectRow): number {
  const issues = issuesOf(workspace, project).filter((issue) => issue.canceledAt === null);
  return issues.length === 0 ? 0 : issues.filter((issue) => issue.completedAt !== null).length / issues.length;
}

/** Computed fields of a project. */
export const projectFields: Resolvers<ProjectRow> = {
  ...constants({
    completedIssueCountHistory: [],
    completedScopeHistory: [],
    frequencyResolution: 'weekly',
    inProgressScopeHistory: [],
    issueCountHistory: [],
    labelIds: [],
    scopeHistory: [],
    slackIssueComments: false,
    slackIssueStatuses: false,
    slackNewIssue: false,
  }),
  contentState: (project) => editorState(project.content),
  convertedFromIssue: (project, _, { workspace }) => workspace.issues.get(project.convertedFromIssueId),
  creator: (project, _, { workspace }) => workspace.users.get(project.creatorId),
  lead: (project, _, { workspace }) => workspace.users.get(project.leadId),
  status: (project, _, { workspace }) => workspace.projectStatuses.get(project.statusId),
  state: (project, _, { workspace }) => workspace.projectStatuses.get(project.statusId)?.type,
  priorityLabel: (project) => priorityLabels[project.priority],
  prioritySortOrder: (project) => project.sortOrder,
  progress: (project, _, { workspace }) => progressOf(workspace, project),
  scope: (project, _, { workspace }) => issuesOf(workspace, project).length,
  url: (project) => projectAddress(project),
  labels: listOf('Project.labels', 'ProjectLabel', () => []),
  issues: listOf('Project.issues', 'Issue', (project: ProjectRow, { workspace }) => issuesOf(workspace, project)),
  comments: listOf('Project.comments', 'Comment', (project: ProjectRow, { workspace }) =>
    workspace.comments.where('projectId', project.id),
  ),
  teams: listOf('Project.teams', 'Team', (project: ProjectRow, { workspace }): readonly TeamRow[] =>
    workspace.teams.all().filter((team) => project.teamIds.includes(team.id)),
  ),
  members: listOf('Project.members', 'User', (project: ProjectRow, { workspace }): readonly UserRow[] =>
    workspace.users.all().filter((user) => project.memberIds.includes(user.id)),
  ),
  projectMilestones: listOf('Project.projectMilestones', 'ProjectMilestone', (project: ProjectRow, { workspace }) =>
    workspace.projectMilestones.where('projectId', project.id),
  ),
};

/** Computed fields of a project status. */
export const projectStatusFields: Resolvers<ProjectStatusRow> = {
  team: ({ teamId }, _, { workspace }) => workspace.teams.get(teamId ?? null),
};

/** Computed fields of a milestone. */
export const projectMilestoneFields: Resolvers<ProjectMilestoneRow> = {
  project: (milestone, _, { workspace }) => workspace.projects.get(milestone.projectId),
};
