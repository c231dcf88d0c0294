import {
  type Batch,
  ConnectorError,
  type Json,
  type Source,
  type StoredRecord,
  type Sweep,
} from '../../../src/authoring.js';
import { type ListSpec, type Node, startPosition, type WalkPosition, walk } from './calls.js';

/** From where a run goes on. */
type State = {
  /** The newest change that the vendor knew of when this run began, or the last one if none is under way. */
  readonly changed: string | null;
  /** When everything was last read from the beginning. */
  readonly whole: number;
  /** The run under way: what it reads from, and how far it has come. */
  readonly run: { readonly since: string | null; readonly place: WalkPosition } | null;
};

const minute = 60_000;

const hour = 60 * minute;

/** Changes become visible a little later than they are dated. */
const lookBackMs = 5 * minute;

/** Some changes leave `updatedAt` as it is, such as a new subscriber. */
const fullReadIntervalMs = 7 * 24 * hour;

/** Reads what has changed since the last run; all of it the first time, and once a week. */
export const incrementalReader = (spec: ListSpec, recordOf: (node: Node) => StoredRecord) =>
  async function* read(source: Source): AsyncGenerator<Batch> {
    let state = (source.state ?? null) as State | null;
    let run = state?.run ?? null;
    if (!run) {
      const due = !state?.changed || source.now() - state.whole >= fullReadIntervalMs;
      const since = due ? null : new Date(Date.parse(state!.changed!) - lookBackMs).toISOString();
      run = { since, place: startPosition };
      // Asked of the vendor before anything is read, since its clock may differ from ours.
      const { data } = await source.call(`${spec.list}.newest`, {});
      const changed = data[0]?.updatedAt ?? state?.changed ?? null;
      state = { changed, whole: due ? source.now() : state!.whole, run };
    }
    const { since, place } = run;
    const { changed, whole } = state!;
    // Archived records are not listed. One that is archived between two runs is noticed here, by its date of change.
    const options = since === null ? {} : { filter: { updatedAt: { gte: since } }, includeArchived: true };
    for await (const { nodes, next } of walk(source, `${spec.list}.records`, place, options)) {
      const live = nodes.filter(({ archivedAt }) => !archivedAt);
      const removedIds = nodes.filter(({ archivedAt }) => archivedAt).map(({ id }) => id);
      const records = await completeConnections(source, spec, live);
      const nextState: State = { changed, whole, run: next && { since, place: next } };
      yield { records: records.map(recordOf), removed: removedIds, state: nextState as Json };
    }
  };

/** Lists the ids of all records that are neither deleted nor archived, which is what `list` gives. */
export const idSweep = ({ list }: ListSpec): Exclude<Sweep, 'all'> => ({
  everyMs: 6 * hour,
  ids: async function* (source) {
    for await (const { nodes } of walk(source, `${list}.ids`, startPosition)) yield nodes.map(({ id }) => id);
  },
});

/** Reads every record, for lists so short that it costs next to nothing. */
export const fullReader = (spec: ListSpec, recordOf: (node: Node) => StoredRecord) =>
  async function* read(source: Source): AsyncGenerator<Batch> {
    for await (const { nodes, next } of walk(source, `${spec.list}.records`, startPosition)) {
      const records = await completeConnections(source, spec, nodes);
      yield { records: records.map(recordOf), state: next };
    }
  };

/** A connection below a record, as Linear sends it. */
interface Connection {
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo?: { readonly hasNextPage: boolean; readonly endCursor: string | null } | undefined;
}

/** The records with all nodes of their nested connections, where a page had only the first. */
async function completeConnections(source: Source, spec: ListSpec, nodes: readonly Node[]): Promise<Node[]> {
  const complete: Node[] = [];
  for (const node of nodes) {
    const connections: Record<string, Connection> = {};
    for (const field of Object.keys(spec.nested ?? {})) {
      const first = (node[field] ?? { nodes: [] }) as Connection;
      connections[field] = {
        nodes: [...first.nodes, ...(await fetchRemainingNodes(source, `${spec.list}.${field}`, node.id, first))],
      };
    }
    complete.push({ ...node, ...connections });
  }
  return complete;
}

async function fetchRemainingNodes(source: Source, call: string, id: string, { pageInfo }: Connection) {
  const found: { readonly id: string }[] = [];
  for (let at = pageInfo; at?.hasNextPage && at.endCursor; ) {
    const after = at.endCursor;
    try {
      const { data, meta } = await source.call(call, { id, after });
      found.push(...data);
      at = meta.endCursor === after ? undefined : meta;
    } catch (error) {
      // Deleted in between: the next sweep takes the record away.
      if (ConnectorError.is(error) && error.code === 'not_found') return found;
      throw error;
    }
  }
  return found;
}
