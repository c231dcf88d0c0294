import type { Inspection } from 'agent-connectors';
import type { Gap } from 'agent-connectors/wire';
import { sentence } from '../../common/sentence.js';
import type { Store } from '../../data/records/index.js';
import { isCurrent } from '../../data/state/replicas.js';
import type { ReplicaRow, ReplicaStatus } from '../../data/state/replication-types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { type Definitions, replicatedEntities } from './definitions.js';

type Entities = NonNullable<Inspection['context_store_readiness']>['entities'];

/** Search readiness of an entity. */
export type EntityReadiness = Entities[number];

/** Readiness reported with search results. */
export interface SearchReadiness {
  readonly status: EntityReadiness['status'];
  readonly ready_for_search: boolean;
  /** When the last complete sync started, so records are at least this recent; ISO 8601, null before the first one. */
  readonly synced_at: string | null;
  readonly message: string | null;
}

/** What a search is known not to see. */
export interface Completeness {
  /** Whether the replica has everything as of `synced_at` that the search reads, except permanent gaps. */
  readonly complete: boolean;
  readonly missing: Gap[];
}

/** Dependencies of readiness. */
export interface ReadinessDependencies {
  readonly state: State;
  readonly definitions: Definitions;
  readonly store: Store;
  /** Whether this process runs syncs; another process that uses the same data may run them. */
  readonly replicates: boolean;
  /** The active embedder, if any. */
  readonly embedderId: string | undefined;
  /**
   * Waits until the replicas contain all earlier writes through the service. Returns the entities with records that
   * could not be read back, and how many they are.
   */
  readonly settle: (row: ConnectorRow) => Promise<ReadonlyMap<string, number>>;
}

/** Reports the search readiness of connectors. */
export interface Readiness {
  /** Readiness of every searchable entity. */
  of(row: ConnectorRow): Promise<{ entities: Entities }>;
  /**
   * Call before searching an entity: waits until the search finds all earlier writes through the service. `fields` are
   * those that the search reads; all by default.
   */
  ofSearch(
    row: ConnectorRow,
    entity: string,
    fields?: ReadonlySet<string>,
  ): Promise<Completeness & { readonly readiness: SearchReadiness }>;
}

/** Derives readiness from the replication state. */
export function openReadiness(dependencies: ReadinessDependencies): Readiness {
  const { state, definitions, store, replicates, embedderId, settle } = dependencies;
  const statusOf = async (
    row: ConnectorRow,
    replica: ReplicaRow | undefined,
    isExpected: boolean,
  ): Promise<EntityReadiness['status']> => {
    if (!isExpected) return 'not_configured';
    if (replica?.status === 'failed' || (replica && isCurrent(row, replica))) return replica.status;
    if (replica) return 'initializing';
    return replicates && (await state.credentials.load(row.id)) !== undefined ? 'initializing' : 'not_configured';
  };
  /** Texts that are not embedded yet are found only by lexical search. */
  const semanticStatus = async (
    row: ConnectorRow,
    entity: string,
    field: string,
    status: EntityReadiness['status'],
  ): Promise<EntityReadiness['status']> => {
    if (embedderId === undefined || status !== 'ready') return status;
    const collection = { connectorId: row.id, type: row.type, entity };
    const { passages, embedded } = await store.passageCount(collection, field, embedderId);
    return embedded < passages ? 'updating' : status;
  };
  const gapsOf = (
    row: ConnectorRow,
    entity: string,
    status: EntityReadiness['status'],
    replica?: ReplicaRow,
  ): Gap[] => {
    const replicated = definitions.of(row.type).replication?.entities[entity];
    const configured = { settings: row.settings, config: row.replicationConfig ?? {}, state: replica?.state };
    const withheld = replicated?.withheld?.(configured) ?? [];
    const permanent = withheld.map((gap): Gap => {
      const { detail, count } = typeof gap === 'string' ? { detail: gap } : gap;
      return { reason: 'withheld', entity, ...(count !== undefined && { count }), permanent: true, detail };
    });
    return [
      ...causesOf(row, entity, status, replica),
      ...(replica ? [...unreadIn(replica), ...unlistedIn(replica)] : []),
      ...permanent,
    ];
  };
  /** Texts indexed by an earlier release, until they have been indexed again. */
  const unindexedIn = async (
    { type }: ConnectorRow,
    entity: string,
    replica: ReplicaRow | undefined,
  ): Promise<Gap[]> =>
    replica && (await store.isIndexing({ type, entity }))
      ? [{ reason: 'not_indexed', entity, detail: unindexedMessage }]
      : [];
  /** What the first sync has not read yet, if its position tells, and `detail` with it. */
  const remainingOf = (
    { type, replicationConfig }: ConnectorRow,
    { entity, state: position, startedAt }: ReplicaRow,
    detail: string,
  ): Pick<Gap, 'before' | 'after' | 'detail'> => {
    const { remaining } = definitions.of(type).replication?.entities[entity] ?? {};
    if (!remaining || position === undefined || startedAt === null) return { detail };
    const { field, before, after } = remaining({ config: replicationConfig ?? {}, state: position }) ?? {};
    if (before === undefined && after === undefined) return { detail };
    const range = [before && `before ${before}`, after && `${after} or later`].filter(Boolean).join(' or ');
    const rest = `Records whose ${field} is ${range} are missing; the others are as of ${new Date(startedAt).toISOString()}.`;
    return { ...(before && { before }), ...(after && { after }), detail: `${detail} ${rest}` };
  };
  /** Why all of an entity's records, or some of their fields, may be missing. */
  const causesOf = (
    row: ConnectorRow,
    entity: string,
    status: EntityReadiness['status'],
    replica: ReplicaRow | undefined,
  ): Gap[] => {
    if (!replica) {
      const reason = status === 'initializing' ? 'first_sync' : 'not_synced';
      return [{ reason, entity, detail: messages[status](replica)! }];
    }
    if (!isCurrent(row, replica)) return [{ reason: 'configuration_changed', entity, detail: hiddenMessage(replica) }];
    const synced_at = syncedAtOf(row, replica);
    if (replica.errorReason !== null || status === 'failed') {
      const reason = replica.errorReason ?? 'sync_failed';
      const detail = messages[status](replica) ?? retriedMessage;
      return synced_at === null
        ? [{ reason, entity, ...remainingOf(row, replica, detail) }]
        : [{ reason, entity, after: synced_at, detail }];
    }
    if (synced_at === null) {
      return [{ reason: 'first_sync', entity, ...remainingOf(row, replica, messages.initializing(replica)!) }];
    }
    // Unknown for a replica that has not been synced since the service was upgraded from a version without this field.
    const lacking = replica.fields === null ? [] : store.lacking({ type: row.type, entity }, replica.fields);
    if (lacking === 'records') return [{ reason: 'configuration_changed', entity, detail: upgradedMessage }];
    return lacking.map((field) => ({ reason: 'configuration_changed', entity, field, detail: upgradedMessage }));
  };
  return {
    async of(row) {
      const definition = definitions.of(row.type);
      const names = replicatedEntities(row, definition);
      const replicas = new Map((await state.replicas.list(row.id)).map((replica) => [replica.entity, replica]));
      const unstored = await state.replicas.unstored(row.id);
      const entities = definition.description.entities.flatMap(({ name, search }) =>
        search ? [{ name, search }] : [],
      );
      return {
        entities: await Promise.all(
          entities.map(async ({ name, search }) => {
            const isExpected = names.includes(name);
            const replica = isExpected ? replicas.get(name) : undefined;
            const status = await statusOf(row, replica, isExpected);
            const gaps = [
              ...gapsOf(row, name, status, replica),
              ...unstoredIn(name, unstored.filter(({ entity }) => entity === name).length),
              ...(await unindexedIn(row, name, replica)),
            ];
            return {
              entity: name,
              status,
              ready_for_search: syncedAtOf(row, replica) !== null,
              entity_count: replica?.records ?? null,
              synced_at: syncedAtOf(row, replica),
              error: replica?.error ?? null,
              ...completenessOf(gaps),
              semantic: await Promise.all(
                Object.keys(search.semantic).map(async (field) => ({
                  field,
                  status: replica ? await semanticStatus(row, name, field, status) : status,
                })),
              ),
            };
          }),
        ),
      };
    },
    async ofSearch(row, entity, fields) {
      const isExpected = replicatedEntities(row, definitions.of(row.type)).includes(entity);
      const [replica, unstored] = isExpected
        ? await Promise.all([state.replicas.get(row.id, entity), settle(row)])
        : [undefined, undefined];
      const status = await statusOf(row, replica, isExpected);
      const synced_at = syncedAtOf(row, replica);
      const message = replica && !isCurrent(row, replica) ? hiddenMessage(replica) : messages[status](replica);
      const readiness = { status, ready_for_search: synced_at !== null, synced_at, message };
      const gaps = [
        ...gapsOf(row, entity, status, replica),
        ...unstoredIn(entity, unstored?.get(entity)),
        ...(await unindexedIn(row, entity, replica)),
      ];
      const read = gaps.filter(({ field }) => field === undefined || fields === undefined || fields.has(field));
      return { readiness, ...completenessOf(read) };
    },
  };
}

/** Records, and texts of files, that could not be read or are left out. Older rows have no state or cause. */
const unreadIn = ({ entity, unread }: ReplicaRow): Gap[] =>
  unread.map(({ field, state, cause, count, message, permanent }) => {
    const records = count === 1 ? 'record' : 'records';
    if (cause === 'private') {
      const detail = `${count} private ${records} left out. ${sentence(message)}`;
      return { reason: 'withheld', entity, count, permanent: true, detail };
    }
    return {
      reason: 'unread_records',
      entity,
      ...(field !== null && { field }),
      count,
      ...(state && { state }),
      ...(cause && { cause }),
      ...(permanent && { permanent }),
      detail: `${count} ${records} ${lackOf(field, state, cause)}; for example, ${sentence(message)}`,
    };
  });

function lackOf(field: string | null, state: Gap['state'] | null, cause: Gap['cause'] | null): string {
  if (field === null) return 'could not be read';
  if (state === 'empty') return `with empty ${field}, because the files contain no text`;
  if (state === 'partial') return `with only a part of ${field}`;
  return `without ${field}, ${cause ? reasons[cause] : 'which could not be read'}`;
}

/** Why texts are missing, as the end of a sentence. */
const reasons: Readonly<Record<NonNullable<Gap['cause']>, string>> = {
  format: 'because their format is not read',
  password: 'because they are password-protected',
  too_large: 'because they exceed a limit',
  damaged: 'because they are damaged',
  encoding: 'because their encoding is unknown',
  download: 'because they could not be downloaded',
  hidden: 'because their authors have hidden it',
};

/** Records that the vendor no longer listed, and that are kept until a second sync confirms it. */
const unlistedIn = ({ entity, unlisted }: ReplicaRow): Gap[] => {
  if (unlisted === null) return [];
  const detail =
    `The vendor's last list did not contain ${unlisted} ${unlisted === 1 ? 'record, which stays' : 'records, which stay'} ` +
    'searchable, but may be deleted or outdated: a later sync removes what its list does not contain either.';
  return [{ reason: 'unlisted_records', entity, count: unlisted, detail }];
};

/** Completeness with these gaps, permanent ones last. */
export function completenessOf(gaps: readonly Gap[]): Completeness {
  const missing = [...gaps].sort((one, other) => Number(one.permanent ?? false) - Number(other.permanent ?? false));
  return { complete: missing.every(({ permanent }) => permanent), missing };
}

/** When the searchable records were last complete; ISO 8601, null if they are not. */
const syncedAtOf = (row: ConnectorRow, replica: ReplicaRow | undefined): string | null =>
  replica && isCurrent(row, replica) && replica.syncedAt !== null ? new Date(replica.syncedAt).toISOString() : null;

/** Why search returns nothing although there are records. */
const hiddenMessage = ({ status, error }: ReplicaRow): string =>
  'There may be records of other credentials or an earlier configuration: search returns no results until a sync has ' +
  `deleted them.${status === 'failed' ? ` The last sync failed: ${sentence(error ?? '')}` : ''}`;

/** What is known while a failed attempt is being repeated. */
const retryMessage = (replica: ReplicaRow | undefined): string | null =>
  replica && replica.error !== null
    ? `The last attempt to sync failed and will be repeated: ${sentence(replica.error)} Results may be incomplete.`
    : null;

const retriedMessage = 'The last sync failed and is being repeated: results may be incomplete.';
const upgradedMessage =
  'The connector has been upgraded, and the records have not been read again since then: results may be incomplete.';

const unindexedMessage =
  'The service has been upgraded, and its texts are being indexed again: searches for words may miss records.';

/** Records written through the service that could not be read back yet. */
function unstoredIn(entity: string, count = 0): Gap[] {
  if (count === 0) return [];
  const [records, are] = count === 1 ? ['1 record', 'is'] : [`${count} records`, 'are'];
  const detail =
    `${records} written through the service ${are} not stored yet, and missing or outdated. Storing is repeated while ` +
    'the database or the vendor is unavailable; otherwise, the next sync stores them.';
  return [{ reason: 'written_records', entity, count, detail }];
}

const messages: Readonly<Record<ReplicaStatus | 'not_configured', (replica: ReplicaRow | undefined) => string | null>> =
  {
    not_configured: () =>
      'Not synced yet: search returns no results, but list and get work. ' +
      'The entity syncs once the connector has credentials, if replication is enabled and includes this entity.',
    initializing: (replica) =>
      retryMessage(replica) ??
      `The first sync is running, with ${replica?.records ?? 0} records so far: results may be incomplete.`,
    updating: (replica) => retryMessage(replica),
    ready: () => null,
    failed: (replica) =>
      replica && replica.syncedAt !== null
        ? `The last sync failed: ${sentence(replica.error ?? '')} Results are as of ${new Date(replica.syncedAt).toISOString()}.`
        : `The first sync failed: ${sentence(replica?.error ?? '')} Results may be incomplete.`,
  };

/** Whether callers may read an entity's stored records. */
export async function isReadable(
  row: ConnectorRow,
  entity: string,
  { definitions, state }: { readonly definitions: Definitions; readonly state: Pick<State, 'replicas'> },
): Promise<boolean> {
  if (!replicatedEntities(row, definitions.of(row.type)).includes(entity)) return false;
  const replica = await state.replicas.get(row.id, entity);
  // Records without a replica were imported; no sync has started yet.
  return !replica || isCurrent(row, replica);
}
