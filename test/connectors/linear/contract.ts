import type { EntityContract } from '../contract.js';

/** The names promised by the connector's reference, repeated here independently of the manifest. */
export const contract: Record<string, EntityContract> = {
  issues: {
    record: 'id title description state priority assignee team project createdAt updatedAt',
    recordExtensions: 'identifier previousIdentifiers url parent labels labelIds dueDate estimate archivedAt',
    meta: 'hasNextPage endCursor',
    metaExtensions: 'notes count countIsExact',
    saved: {
      issue:
        'id title description state priority assignee project createdAt updatedAt identifier previousIdentifiers url parent labels labelIds dueDate estimate archivedAt',
    },
    extensions: {
      list: 'filter? includeArchived? orderBy? count?',
      create: 'assigneeId? dueDate? labelIds? parentId?',
      update: 'dueDate? labelIds? parentId?',
    },
    actions: {
      list: 'first? after?',
      get: 'id',
      create: 'teamId title description? stateId? priority? projectId?',
      update: 'id title? description? stateId? priority? assigneeId? projectId?',
    },
    searchable: {
      string:
        'addedToCycleAt addedToProjectAt addedToTeamAt assigneeId branchName canceledAt completedAt createdAt creatorId cycleId description descriptionState dueDate id identifier integrationSourceType milestoneId parentId priorityLabel projectId slaType sourceCommentId startedAt stateId teamId title updatedAt url',
      number: 'customerTicketCount estimate number priority prioritySortOrder sortOrder subIssueSortOrder',
      object:
        'assignee attachments creator cycle labels parent project projectMilestone relations state subscribers team',
      array: 'attachmentIds labelIds previousIdentifiers reactionData relationIds subscriberIds',
    },
    semantic: {
      description: {
        hit: 'id url identifier title creatorId assigneeId createdAt',
        enriched: 'creatorName assigneeName',
      },
    },
  },
  projects: {
    record: 'id name description state startDate targetDate lead createdAt updatedAt',
    recordExtensions: 'url labels archivedAt',
    extensions: { list: 'filter? includeArchived? orderBy? count?' },
    meta: 'hasNextPage endCursor',
    metaExtensions: 'notes count countIsExact',
    saved: { project: 'id name description state startDate targetDate lead createdAt updatedAt url labels archivedAt' },
    actions: {
      list: 'first? after?',
      get: 'id',
      create: 'name teamIds description? state? startDate? targetDate? leadId?',
      update: 'id name? description? state? startDate? targetDate? leadId?',
    },
    searchable: {
      string:
        'canceledAt color completedAt content contentState convertedFromIssueId createdAt creatorId description health healthUpdatedAt icon id leadId name slugId startDate startedAt statusId targetDate updateRemindersDay updatedAt url',
      number: 'priority prioritySortOrder progress scope sortOrder updateRemindersHour',
      object: 'convertedFromIssue creator lead status teams',
      array:
        'completedIssueCountHistory completedScopeHistory inProgressScopeHistory issueCountHistory scopeHistory teamIds',
    },
  },
  teams: {
    record: 'id name key description timezone createdAt updatedAt',
    meta: 'hasNextPage endCursor',
    metaExtensions: 'notes',
    actions: {
      list: 'first? after?',
      get: 'id',
    },
    searchable: {
      string:
        'activeCycleId autoCloseStateId color createdAt cycleCalenderUrl defaultIssueStateId icon id inviteHash issueEstimationType key markedAsDuplicateWorkflowStateId name parentTeamId setIssueSortOrderOnStateChange timezone triageIssueStateId updatedAt visibility',
      number:
        'autoArchivePeriod autoClosePeriod cycleCooldownTime cycleDuration cycleStartDay defaultIssueEstimate issueCount upcomingCycleCount',
      boolean:
        'cycleIssueAutoAssignCompleted cycleIssueAutoAssignStarted cycleLockToActive cyclesEnabled groupIssueHistory issueEstimationAllowZero issueEstimationExtended private requirePriorityToLeaveTriage scimManaged triageEnabled',
      object: 'activeCycle defaultIssueState markedAsDuplicateWorkflowState',
    },
  },
  workflow_states: {
    record: 'id name type position color team createdAt updatedAt',
    meta: 'hasNextPage endCursor',
    metaExtensions: 'notes',
    actions: {
      list: 'first? after?',
    },
    searchable: {
      string: 'color createdAt description id inheritedFromId name teamId type updatedAt',
      number: 'position',
      object: 'team',
    },
  },
  users: {
    record: 'id name email displayName active admin createdAt updatedAt',
    recordExtensions: 'url',
    meta: 'hasNextPage endCursor',
    metaExtensions: 'notes',
    actions: {
      list: 'first? after?',
      get: 'id',
    },
    searchable: {
      string:
        'avatarBackgroundColor avatarUrl createdAt displayName email id initials inviteHash lastSeen name timezone updatedAt url',
      number: 'createdIssueCount',
      boolean: 'active admin guest isMe',
      object: 'teams',
      array: 'teamIds',
    },
  },
  comments: {
    record: 'id body user issue createdAt updatedAt',
    recordExtensions: 'url archivedAt',
    meta: 'hasNextPage endCursor',
    metaExtensions: 'notes count countIsExact',
    extensions: { list: 'author? count? from? to?' },
    saved: { comment: 'id body user issue createdAt updatedAt url archivedAt' },
    actions: {
      list: 'issueId first? after?',
      get: 'id',
      create: 'issueId body',
      update: 'id body',
    },
    searchable: {
      string:
        'body bodyData createdAt editedAt id issueId parentCommentId resolvingCommentId resolvingUserId updatedAt url userId',
      object: 'issue parent user',
    },
    semantic: { body: { hit: 'id url issueId userId createdAt', enriched: 'authorName' } },
  },
};
