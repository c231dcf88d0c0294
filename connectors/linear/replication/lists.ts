import {
  type Lookup,
  markdownSegments,
  type Replica,
  type Search,
  type Segment,
  type StoredRecord,
} from '../../../src/authoring.js';
import * as searchable from '../searchable.js';
import type { ListSpec, Node } from './list.js';
import {
  completeConnections,
  fullReader,
  idSweep,
  incrementalReader,
  remainingOfRun,
  remainingOfWalk,
} from './read-list.js';
import { relatedToComments, relatedToIssues, relatedToProjects } from './related.js';

/** Looks up the names of the users in a record; their ids are in sibling fields such as `creatorId`. */
const namesOf =
  (people: Readonly<Record<string, string>>): NonNullable<Replica['enrich']> =>
  async (passages, look) => {
    const fields = Object.values(people);
    const ids = new Set(passages.flatMap(({ record }) => fields.map((field) => record[`${field}Id`])));
    const users = await look(
      'users',
      [...ids].filter((id) => typeof id === 'string'),
    );
    return passages.map(({ record }) =>
      Object.fromEntries(
        Object.entries(people).map(([name, field]) => [
          name,
          // Former users are not listed, but records still contain their names.
          nameOf(users.get(String(record[`${field}Id`]))) ?? nameOf(record[field]),
        ]),
      ),
    );
  };

function nameOf(user: unknown): string | null {
  const { name } = (user ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name : null;
}

type Value = (node: any) => unknown;

/** The id of a nested object. */
const idOf =
  (field: string): Value =>
  (node) =>
    node[field]?.id;

/** The ids of a connection's nodes. */
const idsOf =
  (field: string): Value =>
  (node) =>
    node[field]?.nodes.map(({ id }: { id: string }) => id);

/** Converts Linear's records to the searchable fields, with null for missing ones. */
function recordsOf({ fields }: Search, sources: Readonly<Record<string, Value>> = {}) {
  const values = Object.values(fields)
    .flat()
    .map((name): readonly [string, Value] => [name, sources[name] ?? ((node) => node[name])]);
  return (node: Node): StoredRecord => Object.fromEntries(values.map(([name, value]) => [name, value(node) ?? null]));
}

/** Reads records by id; a write's response contains them under `recordField`. */
const lookupBy = (entity: string, spec: ListSpec, recordOf: (node: Node) => StoredRecord): Lookup => ({
  ids: (write) => (write.entity === entity ? [write.data[spec.recordField].id] : []),
  read: async (source, ids) => {
    const records: StoredRecord[] = [];
    for (let at = 0; at < ids.length; at += spec.size) {
      const filter = { id: { in: ids.slice(at, at + spec.size) } };
      const { data } = await source.call(`${spec.list}.records`, { filter });
      records.push(...(await completeConnections(source, spec, data)).map(recordOf));
    }
    return { records };
  },
});

/** Segments of a Markdown field. */
const markdown =
  (field: string) =>
  (record: StoredRecord): Iterable<Segment> => {
    const text = record[field];
    return typeof text === 'string' ? markdownSegments(text) : [];
  };

/** Issues of all teams that the credentials can see. */
export const issueList: ListSpec = {
  list: 'issues',
  recordField: 'issue',
  filter: 'IssueFilter',
  size: 50,
  selection: `
    addedToCycleAt addedToProjectAt addedToTeamAt branchName canceledAt completedAt customerTicketCount description
    descriptionState dueDate estimate identifier integrationSourceType labelIds number previousIdentifiers priority
    priorityLabel prioritySortOrder reactionData slaType sortOrder startedAt subIssueSortOrder title url
    assignee { id name displayName email } creator { id name displayName email } cycle { id number name }
    parent { id identifier title } project { id name } projectMilestone { id name } sourceComment { id }
    state { id name type color } team { id key name }`,
  nested: {
    attachments: { first: 10, selection: 'id title subtitle url sourceType' },
    labels: { first: 10, selection: 'id name color' },
    relations: { first: 10, selection: 'id type relatedIssue { id identifier title }' },
    subscribers: { first: 10, selection: 'id name displayName email' },
  },
  related: relatedToIssues,
};

const issueOf = recordsOf(searchable.issues, {
  assigneeId: idOf('assignee'),
  attachmentIds: idsOf('attachments'),
  creatorId: idOf('creator'),
  cycleId: idOf('cycle'),
  milestoneId: idOf('projectMilestone'),
  parentId: idOf('parent'),
  projectId: idOf('project'),
  reactionData: ({ reactionData }) => reactionsOf(reactionData),
  relationIds: idsOf('relations'),
  sourceCommentId: idOf('sourceComment'),
  stateId: idOf('state'),
  subscriberIds: idsOf('subscribers'),
  teamId: idOf('team'),
});

/** The schema declares an object keyed by emoji; this connector's reference declares a list. */
function reactionsOf(data: unknown): unknown {
  if (Array.isArray(data) || typeof data !== 'object' || data === null) return data;
  return Object.entries(data).map(([emoji, reactions]) => ({ emoji, reactions }));
}

const issueLookup = lookupBy('issues', issueList, issueOf);

/** Replication of issues, excluding archived and trashed ones, like `issues.list`. */
export const issues: Replica = {
  read: incrementalReader(issueList, issueOf, issueLookup),
  withheld: () => [
    'Archived and trashed issues are not replicated; issues.list with includeArchived: true lists them.',
  ],
  remaining: remainingOfRun,
  sweep: { ...idSweep(issueList), read: issueLookup.read },
  lookup: issueLookup,
  segments: { description: markdown('description') },
  enrich: namesOf({ creatorName: 'creator', assigneeName: 'assignee' }),
};

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
  related: relatedToProjects,
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
    defaultIssueEstimate groupIssueHistory icon issueCount issueEstimationAllowZero issueEstimationExtended
    issueEstimationType key name requirePriorityToLeaveTriage scimManaged setIssueSortOrderOnStateChange
    timezone triageEnabled upcomingCycleCount visibility
    activeCycle { id number name } defaultIssueState { id name type } triageIssueState { id }
    duplicateStates: states(first: 1, filter: { type: { eq: "duplicate" } }) { nodes { id name type } } parent { id }`,
};

/** Workflow states of all teams. */
export const stateList: ListSpec = {
  list: 'workflowStates',
  recordField: 'workflowState',
  filter: 'WorkflowStateFilter',
  size: 250,
  selection: 'color description name position type inheritedFrom { id } team { id key name }',
};

/** Users, excluding former ones, like `users.list`. */
export const userList: ListSpec = {
  list: 'users',
  recordField: 'user',
  filter: 'UserFilter',
  size: 100,
  selection: `
    active admin avatarBackgroundColor avatarUrl createdIssueCount displayName email guest initials isMe
    lastSeen name timezone url`,
  nested: { teams: { first: 20, selection: 'id key name' } },
};

/** Comments of all kinds; `issueId` is null for those not on issues. */
export const commentList: ListSpec = {
  list: 'comments',
  recordField: 'comment',
  filter: 'CommentFilter',
  size: 250,
  selection: `
    body bodyData editedAt issueId parentId resolvingCommentId url
    issue { id identifier title } parent { id } resolvingUser { id } user ${person}`,
  related: relatedToComments,
};

const projectOf = recordsOf(searchable.projects, {
  convertedFromIssueId: idOf('convertedFromIssue'),
  creatorId: idOf('creator'),
  leadId: idOf('lead'),
  statusId: idOf('status'),
  teamIds: idsOf('teams'),
});

const projectLookup = lookupBy('projects', projectList, projectOf);

/** Replication of projects. */
export const projects: Replica = {
  read: incrementalReader(projectList, projectOf, projectLookup),
  withheld: () => [
    'Archived and trashed projects are not replicated; projects.list with includeArchived: true lists them.',
  ],
  remaining: remainingOfRun,
  sweep: { ...idSweep(projectList), read: projectLookup.read },
  lookup: projectLookup,
};

/** A deprecated field, which Linear always leaves empty. */
const alwaysEmpty = () => '';

/** The state of a team's duplicates: the field for it is deprecated. */
const duplicateState = ({ duplicateStates }: any) => duplicateStates?.nodes[0];

/** Replication of teams. */
export const teams: Replica = {
  read: fullReader(
    teamList,
    recordsOf(searchable.teams, {
      activeCycleId: idOf('activeCycle'),
      defaultIssueStateId: idOf('defaultIssueState'),
      inviteHash: alwaysEmpty,
      markedAsDuplicateWorkflowState: duplicateState,
      markedAsDuplicateWorkflowStateId: (node) => duplicateState(node)?.id,
      parentTeamId: idOf('parent'),
      private: ({ visibility }) => visibility && visibility === 'private',
      triageIssueStateId: idOf('triageIssueState'),
    }),
  ),
  withheld: () => ['Archived teams are not replicated.'],
  remaining: remainingOfWalk,
  sweep: 'all',
};

/** Replication of workflow states. */
export const workflowStates: Replica = {
  read: fullReader(
    stateList,
    recordsOf(searchable.workflowStates, { inheritedFromId: idOf('inheritedFrom'), teamId: idOf('team') }),
  ),
  withheld: () => ['Archived workflow states are not replicated.'],
  remaining: remainingOfWalk,
  sweep: 'all',
};

/** Replication of users. */
export const users: Replica = {
  read: fullReader(userList, recordsOf(searchable.users, { inviteHash: alwaysEmpty, teamIds: idsOf('teams') })),
  withheld: () => ['Deactivated users are not replicated; users.get returns them by id.'],
  remaining: remainingOfWalk,
  sweep: 'all',
};

const commentOf = recordsOf(searchable.comments, {
  parentCommentId: ({ parentId }) => parentId,
  resolvingUserId: idOf('resolvingUser'),
  userId: idOf('user'),
});

const commentLookup = lookupBy('comments', commentList, commentOf);

/** Replication of comments. */
export const comments: Replica = {
  read: incrementalReader(commentList, commentOf, commentLookup),
  withheld: () => ['Archived comments are not replicated.'],
  remaining: remainingOfRun,
  sweep: { ...idSweep(commentList), read: commentLookup.read },
  lookup: commentLookup,
  segments: { body: markdown('body') },
  enrich: namesOf({ authorName: 'user' }),
};
