import { type LinearContext, requireProject, requireVisible } from '../context.js';
import { inputError } from '../errors.js';
import {
  type Input,
  InputValidator,
  isoOf,
  newId,
  payload,
  pickDefined,
  requireWrite,
  store,
  update,
} from '../mutate.js';
import type { ProjectRow } from '../rows.js';
import type { Resolvers } from './resolver.js';

const longestDescription = 255;

/** Root fields that write projects. */
export const projectMutations: Resolvers = {
  projectCreate(_, { input }: { input: Input }, context) {
    requireWrite(context);
    const { workspace, now } = context;
    const checks = check(input).notEmpty(input, 'name', true);
    if (input.teamIds.length === 0) checks.fail('teamIds', 'arrayMinSize', 'teamIds must contain at least 1 elements');
    checks.throwIfFailed();
    checkRelated(context, input);
    const id = newId(context, workspace.projects, 'Project', input.id);
    const statusId: string = input.statusId ?? workspace.projectStatuses.where('type', 'backlog')[0]!.id;
    const answer = payload(context);
    const row: ProjectRow = {
      id,
      createdAt: isoOf(now),
      updatedAt: isoOf(now),
      archivedAt: null,
      name: input.name,
      slugId: workspace.random.uuid().replaceAll('-', '').slice(0, 12),
      description: input.description ?? '',
      content: input.content ?? null,
      icon: input.icon ?? null,
      color: input.color ?? '#bec2c8',
      statusId,
      leadId: input.leadId ?? null,
      creatorId: context.viewer.id,
      teamIds: [...input.teamIds],
      memberIds: [...(input.memberIds ?? [])],
      priority: input.priority ?? 0,
      sortOrder: input.sortOrder ?? -workspace.projects.size,
      startDate: input.startDate ?? null,
      startDateResolution: input.startDateResolution ?? null,
      targetDate: input.targetDate ?? null,
      targetDateResolution: input.targetDateResolution ?? null,
      ...statusTimestampsOf(context, statusId, undefined),
      health: null,
      healthUpdatedAt: null,
      convertedFromIssueId: null,
      updateRemindersDay: null,
      updateRemindersHour: null,
      trashed: null,
    };
    const project = store(context, workspace.projects, row);
    return { ...answer, project: answer.success ? project : null };
  },

  projectUpdate(_, { id, input }: { id: string; input: Input }, context) {
    requireWrite(context);
    const project = requireProject(context, id);
    const checks = check(input).notEmpty(input, 'name');
    if (input.teamIds?.length === 0) checks.fail('teamIds', 'arrayMinSize', 'teamIds must contain at least 1 elements');
    checks.throwIfFailed();
    checkRelated(context, input, input.teamIds ?? project.teamIds);
    const changes: Partial<ProjectRow> = pickDefined(
      input,
      'name',
      'content',
      'icon',
      'leadId',
      'sortOrder',
      'startDate',
      'startDateResolution',
      'targetDate',
      'targetDateResolution',
      'trashed',
    );
    if (input.description !== undefined) changes.description = input.description ?? '';
    if (input.priority !== undefined) changes.priority = input.priority ?? 0;
    for (const name of ['teamIds', 'memberIds', 'color', 'statusId'] as const) {
      if (input[name] != null) changes[name] = input[name];
    }
    if (changes.statusId) Object.assign(changes, statusTimestampsOf(context, changes.statusId, project));
    Object.assign(changes, pickDefined(input, 'completedAt', 'canceledAt'));
    if (input.trashed !== undefined) changes.archivedAt = input.trashed ? isoOf(context.now) : null;
    const answer = payload(context);
    const changed = update(context, context.workspace.projects, project, changes);
    return { ...answer, project: answer.success ? changed : null };
  },
};

function check(input: Input): InputValidator {
  return new InputValidator()
    .uuid(input, 'id', 'statusId', 'leadId', 'teamIds', 'memberIds')
    .priority(input)
    .maxLength(input, 'description', longestDescription)
    .maxLength(input, 'name', 255);
}

function checkRelated(
  context: LinearContext,
  { teamIds, memberIds, leadId, statusId }: Input,
  projectTeamIds: readonly string[] = teamIds ?? [],
): void {
  const { teams, users, projectStatuses } = context.workspace;
  for (const id of teamIds ?? []) requireVisible(context, 'Team', teams.get(id));
  for (const id of memberIds ?? []) requireVisible(context, 'User', users.get(id));
  if (leadId && !requireVisible(context, 'User', users.get(leadId)).active) {
    throw inputError('Projects cannot be led by a deactivated user');
  }
  if (!statusId) return;
  const status = requireVisible(context, 'ProjectStatus', projectStatuses.get(statusId));
  if (status.archivedAt !== null) throw inputError('Projects cannot be moved to an archived status');
  if (status.teamId !== undefined && !projectTeamIds.includes(status.teamId)) {
    throw inputError("Projects cannot be moved to another team's status");
  }
}

function statusTimestampsOf({ workspace, now }: LinearContext, statusId: string, project: ProjectRow | undefined) {
  const type = workspace.projectStatuses.get(statusId)?.type;
  const moment = isoOf(now);
  return {
    startedAt: type === 'started' ? (project?.startedAt ?? moment) : (project?.startedAt ?? null),
    completedAt: type === 'completed' ? (project?.completedAt ?? moment) : null,
    canceledAt: type === 'canceled' ? (project?.canceledAt ?? moment) : null,
  };
}
