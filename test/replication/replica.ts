import type { CommonOptions, Manifest } from 'agent-connectors';
import {
  type Batch,
  type Failure,
  type Json,
  type Replication,
  replicationCalls,
  type Source,
  type StoredRecord,
  type SweepPage,
} from 'agent-connectors/replication';

/** The options of a test replica, apart from its source. */
export interface ReplicaOptions {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, boolean>>;
  readonly now?: () => number;
  readonly textOf?: Source['textOf'];
}

/** Limits for a run. */
export interface RunOptions {
  /** Stops after this many batches, as if killed: the last batch is stored, and everything after it is lost. */
  readonly batches?: number;
  /** State shared with other runs, as within one job; none by default. */
  readonly shared?: Source['shared'];
}

/** An in-memory replica: stores what a connector's replication reads, like a service would. */
export function replicaOf(
  Class: { readonly manifest: Manifest },
  replication: Replication,
  options: CommonOptions<any>,
  {
    config = {},
    settings = {},
    now = Date.now,
    textOf = async () => ({ text: null, state: 'not_read' }),
  }: ReplicaOptions = {},
) {
  const calls = replicationCalls(Class.manifest, replication, { ...options, ...settings });
  const tables = new Map<string, Map<string, StoredRecord>>();
  const states = new Map<string, Json>();
  const failures: Failure[] = [];
  const table = (entity: string) => {
    const found = tables.get(entity) ?? new Map<string, StoredRecord>();
    tables.set(entity, found);
    return found;
  };
  const idOf = (entity: string, record: StoredRecord) =>
    (replication.entities[entity]!.key ?? ['id']).map((field) => String(record[field])).join('\n');
  const hasId = (entity: string, record: StoredRecord) =>
    (replication.entities[entity]!.key ?? ['id']).every((field) => record?.[field] ?? false);

  const sourceOf = (entity: string, state: Json | undefined, shared: Source['shared']): Source => ({
    ...calls,
    state,
    config,
    settings,
    now,
    textOf,
    signal: new AbortController().signal,
    async stored(ids) {
      const records = table(entity);
      return new Map(ids.flatMap((id) => (records.has(id) ? [[id, records.get(id)!] as const] : [])));
    },
    idOf: (record) => idOf(entity, record),
    async *storedWith(fields) {
      for (const [id, record] of [...table(entity)]) {
        const isAsExpected = Object.entries(fields).every(([field, expected]) =>
          'startsWith' in expected
            ? String(record[field]).toLowerCase().startsWith(expected.startsWith.toLowerCase())
            : [record[field]].flat().some((value) => expected.includes(String(value))),
        );
        if (isAsExpected) yield id;
      }
    },
    shared,
    async *storedIds() {
      yield* [...table(entity).keys()];
    },
  });

  const store = (entity: string, batch: Batch, seen: Set<string>) => {
    // Without a list of all ids, what could not be read is assumed to exist.
    const isListed = typeof replication.entities[entity]!.sweep === 'object';
    if (!isListed) for (const { id } of batch.failed ?? []) seen.add(id);
    for (const record of batch.records ?? []) {
      if (!hasId(entity, record)) {
        failures.push({ id: 'no id', message: 'A record has no id.' });
        continue;
      }
      const id = idOf(entity, record);
      seen.add(id);
      table(entity).set(id, record);
    }
    for (const id of batch.removed ?? []) table(entity).delete(id);
    failures.push(...(batch.failed ?? []));
    states.set(entity, JSON.parse(JSON.stringify(batch.state)));
  };

  return {
    failures,
    states,
    /** The records of an entity, by id. */
    records: (entity: string): ReadonlyMap<string, StoredRecord> => table(entity),
    /** Reads an entity from its current position; returns whether the run completed. */
    async run(
      entity: string,
      { batches = Number.POSITIVE_INFINITY, shared = new Map() }: RunOptions = {},
    ): Promise<boolean> {
      const { read, sweep } = replication.entities[entity]!;
      const source = sourceOf(entity, sweep === 'all' ? undefined : states.get(entity), shared);
      const seen = new Set<string>();
      let stored = 0;
      for await (const batch of read(source)) {
        store(entity, batch, seen);
        stored += 1;
        if (stored >= batches) return false;
      }
      const state = states.get(entity)!;
      if (typeof sweep === 'object') {
        for await (const page of sweep.ids(source)) {
          const { ids, records, failed = [] }: SweepPage = 'ids' in page ? page : { ids: page, records: [] };
          store(entity, { records, failed, state }, seen);
          for (const id of ids) seen.add(id);
        }
        const missing = [...seen].filter((id) => !table(entity).has(id));
        for (let at = 0; sweep.read && at < missing.length; at += 100) {
          store(entity, { ...(await sweep.read(source, missing.slice(at, at + 100))), state }, seen);
        }
      }
      if (sweep) for (const id of table(entity).keys()) if (!seen.has(id)) table(entity).delete(id);
      return true;
    },
  };
}
