import type { Source, StoredRecord } from '../../../src/authoring.js';
import { changedSince, type ListSpec, type Node, type Related, relatedPageSize } from './list.js';

/** A related record stored under one or several fields that contain its id. */
const relatedBy = (selection: string, fields: readonly string[], args?: string): Related => ({
  selection,
  ids: Object.fromEntries(fields.map((field) => [field, ({ id }) => [id]])),
  args,
});

/** Users, former ones included, since records still contain their names. */
const usersBy = (...fields: string[]) =>
  relatedBy('name displayName email', fields, `includeDisabled: true, ${changedSince}`);
const issuesBy = (...fields: string[]) => relatedBy('identifier title', fields);

/** Related records of issues, by root field. */
export const relatedToIssues: Readonly<Record<string, Related>> = {
  users: usersBy('assigneeId', 'creatorId', 'subscriberIds'),
  workflowStates: relatedBy('name type color', ['stateId']),
  teams: relatedBy('key name', ['teamId']),
  projects: relatedBy('name', ['projectId']),
  projectMilestones: relatedBy('name', ['milestoneId']),
  cycles: relatedBy('number name', ['cycleId']),
  issueLabels: relatedBy('name color', ['labelIds']),
  attachments: relatedBy('title subtitle url', ['attachmentIds']),
  issues: {
    selection: `identifier title inverseRelations(first: ${relatedPageSize}) { nodes { id } }`,
    ids: {
      parentId: ({ id }) => [id],
      relationIds: ({ inverseRelations }) => inverseRelations.nodes.map(({ id }: Node) => id),
    },
  },
};

/** Related records of projects. Their statuses are few, and cannot be filtered. */
export const relatedToProjects: Readonly<Record<string, Related>> = {
  users: usersBy('creatorId', 'leadId'),
  projectStatuses: relatedBy('name type', ['statusId'], ''),
  teams: relatedBy('key name', ['teamIds']),
  issues: issuesBy('convertedFromIssueId'),
};

/** Related records of comments. */
export const relatedToComments: Readonly<Record<string, Related>> = {
  users: usersBy('userId'),
  issues: issuesBy('issueId'),
};

/** Number of ids looked up in the replica at once. */
const lookupSize = 100;

/** Ids of stored records that contain one of these related records with other values than it has now. */
export async function outdatedIds(
  source: Source,
  { related: specs = {} }: ListSpec,
  changed: ReadonlyMap<string, readonly Node[]>,
): Promise<string[]> {
  const current = new Map([...changed.values()].flat().map((node) => [node.id, node]));
  const outdated = new Set<string>();
  for (const [name, nodes] of changed) {
    for (const [field, idsOf] of Object.entries(specs[name]!.ids)) {
      const ids = nodes.flatMap(idsOf);
      for (let at = 0; at < ids.length; at += lookupSize) {
        const values = ids.slice(at, at + lookupSize);
        for await (const page of chunks(source.storedWith({ [field]: values }))) {
          for (const [id, record] of await source.stored(page)) if (isOutdated(record, current)) outdated.add(id);
        }
      }
    }
  }
  return [...outdated];
}

async function* chunks(ids: AsyncIterable<string>): AsyncGenerator<string[]> {
  let page: string[] = [];
  for await (const id of ids) {
    page.push(id);
    if (page.length < lookupSize) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Whether an object somewhere in a record has the id of a changed record, but other values. */
function isOutdated(value: unknown, current: ReadonlyMap<string, Node>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { id } = value as { readonly id?: unknown };
  const node = typeof id === 'string' ? current.get(id) : undefined;
  const fields = Object.entries(value as StoredRecord);
  const differs = fields.some(([name, old]) => node && isName(name, node) && node[name] !== old);
  return differs || fields.some(([, inner]) => isOutdated(inner, current));
}

const isName = (field: string, node: Node) => field !== 'updatedAt' && node[field] !== undefined;
