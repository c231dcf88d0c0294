import * as z from 'zod';
import { type RecordType, record } from '../../src/authoring.js';

const id = z.string();
const text = z.string().nullable();
const number = z.number().nullable();
const flag = z.boolean().nullable();
const instant = text.describe('ISO 8601 with milliseconds, UTC.');
const day = text.describe('YYYY-MM-DD.');
const timestamps = { createdAt: instant, updatedAt: instant };

const extension = { extension: true };
const active = flag.describe('false if deactivated.').meta(extension);
const person = z
  .object({ id, name: z.string(), email: z.string(), active })
  .nullable()
  .describe('A user, as { id, name, email, active }.');
/** Type of a workflow state; Linear may add more. */
export type StateType =
  | 'triage'
  | 'backlog'
  | 'unstarted'
  | 'started'
  | 'completed'
  | 'canceled'
  | 'duplicate'
  | (string & {});

const issueState = z
  .object({ id, name: z.string(), type: z.string() as z.ZodType<StateType, StateType> })
  .nullable()
  .describe('The workflow state, as { id, name, type }.');
const team = z.object({ id, name: z.string(), key: z.string() }).nullable().describe('As { id, name, key }.');
const project = z.object({ id, name: z.string() }).nullable().describe('As { id, name }; null if not set.');

const url = text.describe('URL in Linear.').meta(extension);
const archivedAt = instant.describe('When it was archived; null otherwise.').meta(extension);
const labels = z
  .array(z.object({ id, name: z.string() }))
  .nullable()
  .describe('The first ten, as { id, name }.')
  .meta(extension);

const issue = {
  id,
  identifier: text.describe('Team key and number, such as ENG-123.').meta(extension),
  url,
  title: text,
  description: text.describe('Markdown; null when empty.'),
  state: issueState,
  priority: number.describe('0 none, 1 urgent, 2 high, 3 medium, 4 low.'),
  assignee: person,
  parent: z
    .object({ id, identifier: z.string(), title: z.string() })
    .nullable()
    .describe('As { id, identifier, title }; null if not a sub-issue.')
    .meta(extension),
  labels,
  labelIds: z.array(z.string()).nullable().describe('All labels.').meta(extension),
  previousIdentifiers: z
    .array(z.string())
    .nullable()
    .describe('Identifiers in the teams that it has left; they still work as id.')
    .meta(extension),
  dueDate: day.meta(extension),
  estimate: number.describe("Points on the team's scale.").meta(extension),
  archivedAt,
};
const issueSources = { labels: 'labels.nodes' };
/** The concise view of an issue, given the path of its labels' names. */
export const conciseIssue = (labelName: string): readonly string[] => [
  'id',
  'identifier',
  'title',
  'state.name',
  'priority',
  'assignee.name',
  'project.name',
  labelName,
  'dueDate',
  'estimate',
  'createdAt',
  'updatedAt',
  'url',
];

/** An issue as returned by lists and `get`. */
export const Issue = record({ ...issue, team, project, ...timestamps }, issueSources, {
  concise: conciseIssue('labels.name'),
  more: ['description', 'team.name', 'parent.identifier', 'parent.title'],
});
/** An issue as returned by `create` and `update`, without its team. */
export const SavedIssue = record({ ...issue, project, ...timestamps }, issueSources, {
  concise: conciseIssue('labels.name'),
});

/** A project; its `state` is the type of its status. */
export const Project = record(
  {
    id,
    name: text,
    description: text.describe('Short description; an empty string if not set.'),
    state: text.describe('backlog, planned, started, paused, completed or canceled.'),
    startDate: day,
    targetDate: day,
    lead: person,
    url,
    labels,
    archivedAt,
    ...timestamps,
  },
  // `Project.state` is deprecated and cannot be written; the status contains the same value (Linear's public schema).
  { state: 'status.type', labels: 'labels.nodes' },
  {
    concise: ['id', 'name', 'state', 'lead.name', 'startDate', 'targetDate', 'labels.name', 'updatedAt', 'url'],
    more: ['description', 'createdAt'],
  },
);

/** A team. */
export const Team = record(
  {
    id,
    name: text,
    key: text.describe('Prefix of issue identifiers, such as ENG.'),
    description: text,
    timezone: text,
    ...timestamps,
  },
  {},
  { concise: ['id', 'key', 'name'], more: ['description', 'timezone', 'createdAt'] },
);

/** A workflow state of a team. */
export const WorkflowState = record(
  {
    id,
    name: text,
    type: text.describe(
      'triage, backlog, unstarted, started, completed, canceled or duplicate; more values may be added.',
    ) as z.ZodType<StateType | null, StateType | null>,
    position: number,
    color: text,
    team,
    ...timestamps,
  },
  {},
  { concise: ['id', 'name', 'type', 'team.key', 'team.name'] },
);

/** A user in the workspace. */
export const User = record(
  {
    id,
    name: text,
    email: text,
    displayName: text,
    active: flag,
    admin: flag,
    url,
    ...timestamps,
  },
  {},
  { concise: ['id', 'name', 'email', 'active'], more: ['displayName', 'admin', 'url', 'createdAt'] },
);

/** A comment. */
export const Comment = record(
  {
    id,
    body: text.describe('Markdown.'),
    user: person.describe('The author, as { id, name, email, active }; null for integrations.'),
    issue: z
      .object({ id, identifier: z.string(), title: z.string() })
      .nullable()
      .describe('As { id, identifier, title }; null if the comment is not on an issue.'),
    url,
    archivedAt,
    ...timestamps,
  },
  {},
  { concise: ['id', 'issue.identifier', 'user.name', 'createdAt', 'body'], more: ['issue.title', 'updatedAt', 'url'] },
);

/** Meta of every list. */
export const Connection = z.object({
  hasNextPage: z.boolean(),
  endCursor: text.describe('Pass it as `after` for the next page.'),
  notes: z.array(z.string()).optional().describe('Notes on this result.').meta(extension),
});

/** Meta of a list that can be counted. */
export const CountableConnection = Connection.extend({
  count: z.int().optional().describe('With `count`: the number of records.').meta(extension),
  countIsExact: z.boolean().optional().describe('With `count`: false if there are more.').meta(extension),
});

/** An issue. */
export type Issue = RecordType<typeof Issue>;
/** A saved issue. */
export type SavedIssue = RecordType<typeof SavedIssue>;
/** A project. */
export type Project = RecordType<typeof Project>;
/** A team. */
export type Team = RecordType<typeof Team>;
/** A workflow state. */
export type WorkflowState = RecordType<typeof WorkflowState>;
/** A user. */
export type User = RecordType<typeof User>;
/** A comment. */
export type Comment = RecordType<typeof Comment>;

const savedIssue =
  'id identifier url title description priority dueDate estimate labelIds previousIdentifiers archivedAt createdAt updatedAt state { id name type } assignee { id name email active } project { id name } parent { id identifier title } labels(first: 10) { nodes { id name } }';

/**
 * Fields requested for each record.
 *
 * By Linear's formula, a page of 250 issues costs 5,400 of the 10,000 points allowed per query, or 6,000 with `raw`.
 */
export const selections: Readonly<Record<string, string>> = {
  issue: `${savedIssue} team { id name key }`,
  savedIssue,
  project:
    'id name description startDate targetDate url archivedAt createdAt updatedAt status { id name type } lead { id name email active } labels(first: 10) { nodes { id name } }',
  team: 'id name key description timezone createdAt updatedAt',
  workflowState: 'id name type position color createdAt updatedAt team { id name key }',
  user: 'id name email displayName active admin url createdAt updatedAt',
  comment: 'id body url archivedAt createdAt updatedAt user { id name email active } issue { id identifier title }',
};

/** Additional fields for raw records. */
export const rawSelections: Readonly<Record<string, string>> = {
  issue: 'number branchName priorityLabel startedAt completedAt canceledAt customerTicketCount creator { id name }',
  savedIssue: 'number branchName priorityLabel startedAt completedAt canceledAt',
  project: 'slugId content color icon priority health progress startedAt completedAt canceledAt',
  team: 'color icon cyclesEnabled triageEnabled issueEstimationType archivedAt',
  workflowState: 'description archivedAt',
  user: 'avatarUrl guest lastSeen archivedAt',
  comment: 'editedAt parent { id }',
};
