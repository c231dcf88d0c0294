import type { Replica } from '../../../src/authoring.js';
import * as searchable from '../searchable.js';
import { idOf, idsOf, type ListSpec, markdown, namesOf, recordsOf } from './calls.js';
import { fullReader, idSweep, incrementalReader } from './changes.js';

const timestamps = ['createdAt', 'updatedAt'];
const person = '{ id name displayName email }';

/** Projects. */
export const projectList: ListSpec = {
  list: 'projects',
  recordField: 'project',
  filter: 'ProjectFilter',
  size: 100,
  selection: `
    canceledAt color completedAt completedIssueCountHistory completedScopeHistory content contentState description
    health healthUpdatedAt icon inProgressScopeHistory issueCountHistory name priority prioritySortOrder progress scope
    scopeHistory slugId sortOrder startDate startedAt targetDate updateRemindersDay updateRemindersHour url
    convertedFromIssue { id identifier title } creator ${person} lead ${person} status { id name type }`,
  nested: { teams: { first: 10, selection: 'id key name' } },
};

/** Teams. */
export const teamList: ListSpec = {
  list: 'teams',
  recordField: 'team',
  filter: 'TeamFilter',
  size: 100,
  selection: `
    autoArchivePeriod autoClosePeriod autoCloseStateId color cycleCalenderUrl cycleCooldownTime cycleDuration
    cycleIssueAutoAssignCompleted cycleIssueAutoAssignStarted cycleLockToActive cycleStartDay cyclesEnabled
    defaultIssueEstimate groupIssueHistory icon inviteHash issueCount issueEstimationAllowZero issueEstimationExtended
    issueEstimationType key name private requirePriorityToLeaveTriage scimManaged setIssueSortOrderOnStateChange
    timezone triageEnabled upcomingCycleCount
    activeCycle { id number name } defaultIssueState { id name type } triageIssueState { id }
    markedAsDuplicateWorkflowState { id name type } parent { id }`,
};

/** Workflow states of all teams. */
export const stateList: ListSpec = {
  list: 'workflowStates',
  recordField: 'workflowState',
  filter: 'WorkflowStateFilter',
  size: 250,
  selection: 'color description name position type inheritedFrom { id } team { id key name }',
};

/** Users; those who have left are not listed, as `users.list` does not list them. */
export const userList: ListSpec = {
  list: 'users',
  recordField: 'user',
  filter: 'UserFilter',
  size: 100,
  selection: `
    active admin avatarBackgroundColor avatarUrl createdIssueCount displayName email guest initials inviteHash isMe
    lastSeen name timezone url`,
  nested: { teams: { first: 20, selection: 'id key name' } },
};

/** Comments of all kinds: on issues, and on what else can be commented on, where `issueId` is null. */
export const commentList: ListSpec = {
  list: 'comments',
  recordField: 'comment',
  filter: 'CommentFilter',
  size: 250,
  selection: `
    body bodyData editedAt issueId parentId resolvingCommentId url
    issue { id identifier title } parent { id } resolvingUser { id } user ${person}`,
};

/** How projects come into a replica. */
export const projects: Replica = {
  dateTimes: [...timestamps, 'canceledAt', 'completedAt', 'healthUpdatedAt', 'startDate', 'startedAt', 'targetDate'],
  read: incrementalReader(
    projectList,
    recordsOf(searchable.projects, {
      convertedFromIssueId: idOf('convertedFromIssue'),
      creatorId: idOf('creator'),
      leadId: idOf('lead'),
      statusId: idOf('status'),
      teamIds: idsOf('teams'),
    }),
  ),
  sweep: idSweep(projectList),
};

/** How teams come into a replica. */
export const teams: Replica = {
  dateTimes: timestamps,
  read: fullReader(
    teamList,
    recordsOf(searchable.teams, {
      activeCycleId: idOf('activeCycle'),
      defaultIssueStateId: idOf('defaultIssueState'),
      markedAsDuplicateWorkflowStateId: idOf('markedAsDuplicateWorkflowState'),
      parentTeamId: idOf('parent'),
      triageIssueStateId: idOf('triageIssueState'),
    }),
  ),
  sweep: 'all',
};

/** How workflow states come into a replica. */
export const workflowStates: Replica = {
  dateTimes: timestamps,
  read: fullReader(
    stateList,
    recordsOf(searchable.workflowStates, { inheritedFromId: idOf('inheritedFrom'), teamId: idOf('team') }),
  ),
  sweep: 'all',
};

/** How users come into a replica. */
export const users: Replica = {
  dateTimes: [...timestamps, 'lastSeen'],
  read: fullReader(userList, recordsOf(searchable.users, { teamIds: idsOf('teams') })),
  sweep: 'all',
};

/** How comments come into a replica. */
export const comments: Replica = {
  dateTimes: [...timestamps, 'editedAt'],
  read: incrementalReader(
    commentList,
    recordsOf(searchable.comments, {
      parentCommentId: ({ parentId }) => parentId,
      resolvingUserId: idOf('resolvingUser'),
      userId: idOf('user'),
    }),
  ),
  sweep: idSweep(commentList),
  segments: { body: markdown('body') },
  enrich: namesOf({ authorName: 'user' }),
};
