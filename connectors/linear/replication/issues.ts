import type { Replica } from '../../../src/authoring.js';
import * as searchable from '../searchable.js';
import { idOf, idsOf, type ListSpec, markdown, namesOf, recordsOf } from './calls.js';
import { idSweep, incrementalReader } from './changes.js';

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
};

const recordOf = recordsOf(searchable.issues, {
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

/** The schema says an object, by emoji; the reference of this connector says a list. */
function reactionsOf(data: unknown): unknown {
  if (Array.isArray(data) || typeof data !== 'object' || data === null) return data;
  return Object.entries(data).map(([emoji, reactions]) => ({ emoji, reactions }));
}

/** How issues come into a replica. Archived and trashed ones are left out, as `issues.list` leaves them out. */
export const issues: Replica = {
  dateTimes: [
    'createdAt',
    'updatedAt',
    'addedToCycleAt',
    'addedToProjectAt',
    'addedToTeamAt',
    'canceledAt',
    'completedAt',
    'dueDate',
    'startedAt',
  ],
  read: incrementalReader(issueList, recordOf),
  sweep: idSweep(issueList),
  segments: { description: markdown('description') },
  enrich: namesOf({ creatorName: 'creator', assigneeName: 'assignee' }),
};
