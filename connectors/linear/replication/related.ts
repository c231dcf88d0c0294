import type { Source, StoredRecord } from '../../../src/authoring.js';
import {
  changedSince,
  type ListSpec,
  missingCursor,
  type Node,
  type Page,
  type Related,
  relatedPageSize,
} from './list.js';

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

/** The newest record of a list, and the records related to any of its records that have changed. */
export interface Changes {
  readonly newest: Node | undefined;
  /** By root field. */
  readonly related: ReadonlyMap<string, readonly Node[]>;
}

interface NamedPage extends Page {
  readonly name: string;
}

/** Requests what has changed; only the newest record if `since` is null. */
export async function changesOf(source: Source, { list }: ListSpec, since: string | null): Promise<Changes> {
  const found = new Map<string, Node[]>();
  const known = new Set<string>();
  for (let after: Record<string, string> = {}; ; ) {
    const params = { since: since ?? new Date(source.now()).toISOString(), ...after };
    const { data } = await source.call(`${list}.newest`, params);
    const [newest, ...related] = data as readonly NamedPage[];
    for (const { name, nodes } of related) {
      const changed = nodes.filter(({ updatedAt }) => Date.parse(String(updatedAt)) >= Date.parse(params.since));
      found.set(name, [...(found.get(name) ?? []), ...changed]);
    }
    const cursors = related.flatMap(({ name, pageInfo: { hasNextPage, endCursor } }) => {
      if (!hasNextPage) return endCursor ? [[name, endCursor] as const] : [];
      const position = `${name} ${endCursor}`;
      if (!endCursor || known.has(position)) throw missingCursor();
      known.add(position);
      return [[name, endCursor] as const];
    });
    if (since === null || !related.some(({ pageInfo }) => pageInfo.hasNextPage))
      return { newest: newest?.nodes[0], related: found };
    after = { ...after, ...Object.fromEntries(cursors) };
  }
}

/** Related records as they are now, by id, so that a later run compares only those that differ. Issues change too often. */
export const snapshotOf = (changed: Changes['related']): Record<string, string> =>
  Object.fromEntries(
    [...changed]
      .filter(([name]) => name !== 'issues')
      .flatMap(([, nodes]) => nodes.map(({ updatedAt, ...node }) => [node.id, JSON.stringify(node)])),
  );

/** Number of ids looked up in the replica at once. */
const lookupSize = 100;

/** Ids of stored records that contain a related record with other values than it has now. */
export async function outdatedIds(
  source: Source,
  { related: specs = {} }: ListSpec,
  changed: Changes['related'],
  compared: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const now = snapshotOf(changed);
  const isNew = ({ id }: Node) => compared[id] === undefined || compared[id] !== now[id];
  const current = new Map([...changed.values()].flat().map((node) => [node.id, node]));
  const outdated = new Set<string>();
  for (const [name, nodes] of changed) {
    for (const [field, idsOf] of Object.entries(specs[name]!.ids)) {
      const ids = nodes.filter(isNew).flatMap(idsOf);
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
