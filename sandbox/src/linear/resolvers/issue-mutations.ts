import { type LinearContext, requireIssue, requireVisible } from '../context.js';
import { inputError, usageLimitExceeded } from '../errors.js';
import {
  type Input,
  InputValidator,
  isoOf,
  namedActor,
  newId,
  payload,
  pickDefined,
  requireWrite,
  store,
  update,
} from '../mutate.js';
import type { IssueRow, WorkflowStateRow } from '../rows.js';
import { identifierOf } from './issue.js';
import type { Resolvers } from './resolver.js';
import { stateOfType } from './team.js';

const references = ['stateId', 'assigneeId', 'projectId', 'projectMilestoneId', 'parentId', 'snoozedById'];

/** Root fields that write issues. */
export const issueMutations: Resolvers = {
  issueCreate(_, { input }: { input: Input }, context) {
    requireWrite(context);
    check(input).notEmpty(input, 'title', true).throwIfFailed();
    const { workspace, now, limits } = context;
    const team = requireVisible(context, 'Team', workspace.teams.get(input.teamId));
    const id = newId(context, workspace.issues, 'Issue', input.id);
    checkRelated(context, input, team.id, input.projectId);
    const active = workspace.issues.all().filter((issue) => issue.archivedAt === null).length;
    if (active >= (limits.activeIssues ?? Number.POSITIVE_INFINITY)) throw usageLimitExceeded('activeIssueCount');
    const state = workspace.workflowStates.get(input.stateId) ?? stateOfType(context, team.id, 'backlog')!;
    const createdAt = input.createdAt ? isoOf(Date.parse(input.createdAt)) : isoOf(now);
    const answer = payload(context);
    const row: IssueRow = {
      id,
      createdAt,
      updatedAt: isoOf(now),
      archivedAt: null,
      number: team.lastNumber + 1,
      title: input.title,
      description: emptyToNull(input.description),
      priority: input.priority ?? 0,
      estimate: input.estimate ?? null,
      sortOrder: input.sortOrder ?? -(team.lastNumber + 1),
      teamId: team.id,
      stateId: state.id,
      assigneeId: input.assigneeId ?? null,
      creatorId: input.createAsUser ? null : context.viewer.id,
      projectId: input.projectId ?? null,
      projectMilestoneId: input.projectMilestoneId ?? null,
      parentId: input.parentId ?? null,
      dueDate: input.dueDate ?? null,
      ...stateTimestampsOf(state, undefined, isoOf(now)),
      ...pickDefined(input, 'completedAt'),
      snoozedUntilAt: null,
      snoozedById: null,
      cycleId: null,
      addedToCycleAt: null,
      labelIds: input.labelIds ?? [],
      subscriberIds: input.subscriberIds ?? [context.viewer.id],
      sourceCommentId: null,
      integrationSourceType: null,
      subIssueSortOrder: null,
      previousIdentifiers: [],
      trashed: null,
      botActor: namedActor(input, id),
    };
    if (answer.success) workspace.teams.change(team, { lastNumber: row.number });
    const issue = store(context, workspace.issues, row);
    return { ...answer, issue: answer.success ? issue : null };
  },

  issueUpdate(_, { id, input }: { id: string; input: Input }, context) {
    requireWrite(context);
    const issue = requireIssue(context, id);
    check(input).notEmpty(input, 'title').throwIfFailed();
    const { workspace } = context;
    const teamId: string = input.teamId ?? issue.teamId;
    const team = requireVisible(context, 'Team', workspace.teams.get(teamId));
    const projectId = input.projectId === undefined ? issue.projectId : input.projectId;
    checkRelated(context, input, teamId, projectId);

    const changes: Partial<IssueRow> = pickDefined(
      input,
      'title',
      'estimate',
      'sortOrder',
      'assigneeId',
      'projectId',
      'projectMilestoneId',
      'parentId',
      'dueDate',
      'snoozedUntilAt',
      'snoozedById',
      'trashed',
    );
    if (input.description !== undefined) changes.description = emptyToNull(input.description);
    if (input.priority !== undefined) changes.priority = input.priority ?? 0;
    if (input.labelIds) changes.labelIds = input.labelIds;
    if (input.subscriberIds) changes.subscriberIds = input.subscriberIds;
    // A milestone belongs to a project, so changing the project removes it.
    if (projectId !== issue.projectId) changes.projectMilestoneId = input.projectMilestoneId ?? null;
    if (input.trashed !== undefined) changes.archivedAt = input.trashed ? isoOf(context.now) : null;

    const isMoved = teamId !== issue.teamId;
    if (isMoved) {
      changes.teamId = teamId;
      changes.number = team.lastNumber + 1;
      changes.previousIdentifiers = [...issue.previousIdentifiers, identifierOf(workspace, issue)];
    }
    const current = workspace.workflowStates.get(issue.stateId);
    const wanted =
      input.stateId ?? (isMoved ? stateOfType(context, teamId, current?.type ?? 'backlog')?.id : undefined);
    const state = workspace.workflowStates.get(wanted);
    if (state) Object.assign(changes, { stateId: state.id, ...stateTimestampsOf(state, issue, isoOf(context.now)) });
    const answer = payload(context);
    if (isMoved && answer.success) workspace.teams.change(team, { lastNumber: team.lastNumber + 1 });
    const changed = update(context, workspace.issues, issue, changes);
    return { ...answer, issue: answer.success ? changed : null };
  },
};

function check(input: Input): InputValidator {
  return new InputValidator()
    .uuid(input, 'id', 'teamId', 'labelIds', ...references)
    .priority(input)
    .maxLength(input, 'title', 512);
}

function checkRelated(context: LinearContext, input: Input, teamId: string, projectId: string | null | undefined) {
  const { workspace } = context;
  const { stateId, assigneeId, projectMilestoneId, parentId, labelIds } = input;
  const state = stateId && requireVisible(context, 'WorkflowState', workspace.workflowStates.get(stateId));
  if (assigneeId) {
    const user = requireVisible(context, 'User', workspace.users.get(assigneeId));
    if (!user.active) throw inputError('Issues cannot be assigned to a deactivated user');
  }
  if (parentId) requireVisible(context, 'Issue', workspace.issues.get(parentId));
  for (const id of labelIds ?? []) requireVisible(context, 'IssueLabel', workspace.issueLabels.get(id));
  const project = input.projectId && requireVisible(context, 'Project', workspace.projects.get(input.projectId));
  if ((state && state.teamId !== teamId) || (project && !project.teamIds.includes(teamId))) {
    throw inputError('Discrepancy between issue team and state, cycle or project');
  }
  if (projectMilestoneId) {
    const milestone = requireVisible(context, 'ProjectMilestone', workspace.projectMilestones.get(projectMilestoneId));
    if (milestone.projectId !== projectId) throw inputError('Discrepancy between issue project and project milestone');
  }
}

function stateTimestampsOf(state: WorkflowStateRow, issue: IssueRow | undefined, now: string) {
  const { type } = state;
  const isOver = type === 'canceled' || type === 'duplicate';
  const started = issue?.startedAt ?? now;
  return {
    startedAt: type === 'started' || type === 'completed' ? started : isOver ? (issue?.startedAt ?? null) : null,
    completedAt: type === 'completed' ? (issue?.completedAt ?? now) : null,
    canceledAt: isOver ? (issue?.canceledAt ?? now) : null,
  };
}

function emptyToNull(text: string | null | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}
