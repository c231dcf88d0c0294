import { requireIssue, requireProject, requireTeam, requireVisible } from '../context.js';
import { inputError } from '../errors.js';
import { listAll, type Resolvers } from './resolver.js';

interface ById {
  id: string;
}

/** Root fields of queries. */
export const queryFields: Resolvers = {
  viewer: (_, __, { viewer }) => viewer,
  organization: () => ({}),
  issue: (_, { id }: ById, context) => requireIssue(context, id),
  project: (_, { id }: ById, context) => requireProject(context, id),
  team: (_, { id }: ById, context) => requireTeam(context, id),
  workflowState: (_, { id }: ById, context) =>
    requireVisible(context, 'WorkflowState', context.workspace.workflowStates.get(id)),
  projectStatus: (_, { id }: ById, context) =>
    requireVisible(context, 'ProjectStatus', context.workspace.projectStatuses.get(id)),
  user: (_, { id }: ById, context) => requireVisible(context, 'User', context.workspace.users.get(id)),
  comment: (_, { id }: Partial<ById>, context) => {
    if (id == null) throw inputError('Either id or hash must be given');
    return requireVisible(context, 'Comment', context.workspace.comments.get(id));
  },
  attachments: listAll('Attachment', ({ workspace }) => workspace.attachments.all()),
  cycles: listAll('Cycle', ({ workspace }) => workspace.cycles.all()),
  issueLabels: listAll('IssueLabel', ({ workspace }) => workspace.issueLabels.all()),
  issues: listAll('Issue', ({ workspace }) => workspace.issues.all()),
  projects: listAll('Project', ({ workspace }) => workspace.projects.all()),
  projectMilestones: listAll('ProjectMilestone', ({ workspace }) => workspace.projectMilestones.all()),
  projectStatuses: listAll('ProjectStatus', ({ workspace }) => workspace.projectStatuses.all()),
  teams: listAll('Team', ({ workspace }) => workspace.teams.all()),
  workflowStates: listAll('WorkflowState', ({ workspace }) => workspace.workflowStates.all()),
  users: listAll('User', ({ workspace }) => workspace.users.all()),
  comments: listAll('Comment', ({ workspace }) => workspace.comments.all()),
};
