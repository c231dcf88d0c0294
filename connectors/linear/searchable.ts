import type { Search } from '../../src/authoring.js';
import { conciseIssue } from './records.js';

// One line per type: the lists mirror the reference and are only ever compared with it as a whole.
// biome-ignore-all format: see above
const timestamps = ['createdAt', 'updatedAt'] as const;

/** An issue's content in the context store. */
export const issues = {
  fields: {
    string: [
      'addedToCycleAt',
      'addedToProjectAt',
      'addedToTeamAt',
      'assigneeId',
      'branchName',
      'canceledAt',
      'completedAt',
      'createdAt',
      'creatorId',
      'cycleId',
      'description',
      'descriptionState',
      'dueDate',
      'id',
      'identifier',
      'integrationSourceType',
      'milestoneId',
      'parentId',
      'priorityLabel',
      'projectId',
      'slaType',
      'sourceCommentId',
      'startedAt',
      'stateId',
      'teamId',
      'title',
      'updatedAt',
      'url',
    ],
    number: [
      'customerTicketCount',
      'estimate',
      'number',
      'priority',
      'prioritySortOrder',
      'sortOrder',
      'subIssueSortOrder',
    ],
    object: [
      'assignee',
      'attachments',
      'creator',
      'cycle',
      'labels',
      'parent',
      'project',
      'projectMilestone',
      'relations',
      'state',
      'subscribers',
      'team',
    ],
    array: ['attachmentIds', 'labelIds', 'previousIdentifiers', 'reactionData', 'relationIds', 'subscriberIds'],
  },
  dateTimes: [
    ...timestamps,
    'addedToCycleAt',
    'addedToProjectAt',
    'addedToTeamAt',
    'canceledAt',
    'completedAt',
    'dueDate',
    'startedAt',
  ],
  semantic: {
    description: {
      entity_fields: ['id', 'url', 'identifier', 'title', 'creatorId', 'assigneeId', 'createdAt'],
      enrichments: ['creatorName', 'assigneeName'],
    },
  },
  about: {
    title: ['title'],
    words: [
      'identifier',
      'previousIdentifiers',
      'project.name',
      'projectMilestone.name',
      'labels.nodes.name',
      'state.name',
      'assignee.name',
      'creator.name',
      'team.name',
      'priorityLabel',
    ],
  },
  // Unlike in a list, labels are a connection.
  concise: conciseIssue('labels.nodes.name'),
} as const satisfies Search;

/** A project's content in the context store. */
export const projects = {
  fields: {
    string: [
      'canceledAt',
      'color',
      'completedAt',
      'content',
      'contentState',
      'convertedFromIssueId',
      'createdAt',
      'creatorId',
      'description',
      'health',
      'healthUpdatedAt',
      'icon',
      'id',
      'leadId',
      'name',
      'slugId',
      'startDate',
      'startedAt',
      'statusId',
      'targetDate',
      'updateRemindersDay',
      'updatedAt',
      'url',
    ],
    number: ['priority', 'prioritySortOrder', 'progress', 'scope', 'sortOrder', 'updateRemindersHour'],
    object: ['convertedFromIssue', 'creator', 'lead', 'status', 'teams'],
    array: [
      'completedIssueCountHistory',
      'completedScopeHistory',
      'inProgressScopeHistory',
      'issueCountHistory',
      'scopeHistory',
      'teamIds',
    ],
  },
  dateTimes: [...timestamps, 'canceledAt', 'completedAt', 'healthUpdatedAt', 'startDate', 'startedAt', 'targetDate'],
  about: {
    title: ['name', 'description'],
    words: ['status.name', 'lead.name', 'creator.name', 'teams.nodes.name', 'content'],
  },
} as const satisfies Search;

/** A team's content in the context store. */
export const teams = {
  fields: {
    string: [
      'activeCycleId',
      'autoCloseStateId',
      'color',
      'createdAt',
      'cycleCalenderUrl',
      'defaultIssueStateId',
      'icon',
      'id',
      'inviteHash',
      'issueEstimationType',
      'key',
      'markedAsDuplicateWorkflowStateId',
      'name',
      'parentTeamId',
      'setIssueSortOrderOnStateChange',
      'timezone',
      'triageIssueStateId',
      'updatedAt',
      'visibility',
    ],
    number: [
      'autoArchivePeriod',
      'autoClosePeriod',
      'cycleCooldownTime',
      'cycleDuration',
      'cycleStartDay',
      'defaultIssueEstimate',
      'issueCount',
      'upcomingCycleCount',
    ],
    boolean: [
      'cycleIssueAutoAssignCompleted',
      'cycleIssueAutoAssignStarted',
      'cycleLockToActive',
      'cyclesEnabled',
      'groupIssueHistory',
      'issueEstimationAllowZero',
      'issueEstimationExtended',
      'private',
      'requirePriorityToLeaveTriage',
      'scimManaged',
      'triageEnabled',
    ],
    object: ['activeCycle', 'defaultIssueState', 'markedAsDuplicateWorkflowState'],
  },
  dateTimes: timestamps,
} as const satisfies Search;

/** A workflow state's content in the context store. */
export const workflowStates = {
  fields: {
    string: ['color', 'createdAt', 'description', 'id', 'inheritedFromId', 'name', 'teamId', 'type', 'updatedAt'],
    number: ['position'],
    object: ['team'],
  },
  dateTimes: timestamps,
} as const satisfies Search;

/** A user's content in the context store. */
export const users = {
  fields: {
    string: [
      'avatarBackgroundColor',
      'avatarUrl',
      'createdAt',
      'displayName',
      'email',
      'id',
      'initials',
      'inviteHash',
      'lastSeen',
      'name',
      'timezone',
      'updatedAt',
      'url',
    ],
    number: ['createdIssueCount'],
    boolean: ['active', 'admin', 'guest', 'isMe'],
    object: ['teams'],
    array: ['teamIds'],
  },
  dateTimes: [...timestamps, 'lastSeen'],
} as const satisfies Search;

/** A comment's content in the context store. */
export const comments = {
  fields: {
    string: [
      'body',
      'bodyData',
      'createdAt',
      'editedAt',
      'id',
      'issueId',
      'parentCommentId',
      'resolvingCommentId',
      'resolvingUserId',
      'updatedAt',
      'url',
      'userId',
    ],
    object: ['issue', 'parent', 'user'],
  },
  dateTimes: [...timestamps, 'editedAt'],
  semantic: {
    body: { entity_fields: ['id', 'url', 'issueId', 'userId', 'createdAt'], enrichments: ['authorName'] },
  },
  about: { words: ['issue.title', 'issue.identifier', 'user.name'] },
} as const satisfies Search;
