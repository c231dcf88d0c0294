import { sql } from 'kysely';
import { type Database, fromNow, withinConnector } from './database.js';
import { type Processes, selectAlive } from './processes.js';
import { StateConflict } from './rows.js';
import type { SealedColumns, Sealing, TenantContext } from './sealing.js';

/** How long a key is remembered, in milliseconds. */
const ledgerMs = 24 * 60 * 60 * 1000;

/** The ledger's row for a write, and the organization that it belongs to. */
export interface LedgerRow extends SealedColumns {
  readonly process_id: string;
  readonly attempt: string;
  readonly done: number;
  readonly organization: string;
  /** Whether its process sends heartbeats. */
  readonly isAlive: boolean;
}

/** A row to store, unless another request executes the write. */
export interface LedgerChange {
  readonly id: string;
  readonly connectorId: string;
  readonly attempt: string;
  readonly done: 0 | 1;
  /** The sealed part, as JSON. */
  readonly content: string;
  /** Whether the row may have to be inserted: the request began the write and has not stored it yet. */
  readonly isNew: boolean;
}

/** Rows of the ledger. */
export interface LedgerRows {
  /**
   * The organization of a connector, and the row for a write unless it was forgotten; throws `StateConflict` if the
   * connector was deleted. Calls made at the same time share a statement.
   */
  find(connectorId: string, id: string): Promise<{ readonly organization: string; readonly row?: LedgerRow }>;
  /** Stores rows of an organization; call in a transaction. Returns the attempts that still execute their write. */
  store(organizationId: string, changes: readonly LedgerChange[]): Promise<ReadonlySet<string>>;
}

/** Seal context of a row. */
export const ledgerContext = (organization: string, owner: string, id: string): TenantContext => ({
  organization,
  owner,
  field: `ledger ${id}`,
});

/** Rows that are old enough to be deleted have been written before this time. */
export const forgottenBefore = (database: Database) => fromNow(database, -ledgerMs);

/** A row as a statement receives it. */
interface StoredChange {
  readonly id: string;
  readonly connector_id: string;
  readonly process_id: string;
  readonly attempt: string;
  readonly done: number;
  readonly key_id: string;
  readonly sealed: Uint8Array;
}

const changeTypes = {
  id: 'text',
  connector_id: 'text',
  process_id: 'text',
  attempt: 'text',
  done: 'integer',
  key_id: 'text',
  sealed: 'bytes',
} as const;

/** Opens the rows in the database. */
export function openLedgerRows(database: Database, sealing: Sealing, processes: Processes): LedgerRows {
  const { query, now } = database;
  const forgotten = forgottenBefore(database);
  const findRows = database.forRows<
    { readonly id: string; readonly connector_id: string },
    { [Column in keyof LedgerRow]: Column extends 'isAlive' ? unknown : LedgerRow[Column] } & {
      readonly id: string | null;
    }
  >({ id: 'text', connector_id: 'text' }, (rows) =>
    query
      .selectFrom(rows)
      .innerJoin('connectors', 'connectors.id', 'rows.connector_id')
      .leftJoin('ledger', (join) => join.onRef('ledger.id', '=', 'rows.id').on('begun_at', '>', forgotten))
      .select(['ledger.id', 'process_id', 'attempt', 'done', 'key_id', 'sealed', 'organization_id as organization'])
      .select(
        sql<unknown>`exists ${selectAlive(database).select('id').where('id', '=', sql<string>`ledger.process_id`)}`.as(
          'isAlive',
        ),
      ),
  );
  const load = async (connectorId: string, ids: ReadonlySet<string>) => {
    const wanted = [...ids].map((id) => ({ id, connector_id: connectorId }));
    const rows = await withinConnector(connectorId, () => findRows(wanted));
    const [organization] = rows.map((row) => row.organization);
    const byId = new Map(rows.map((row) => [row.id, { ...row, isAlive: Boolean(row.isAlive) }]));
    return { organization, byId };
  };
  const lookups = new Map<string, { readonly ids: Set<string>; readonly found: ReturnType<typeof load> }>();
  const lookUp = (connectorId: string, id: string) => {
    let lookup = lookups.get(connectorId);
    if (!lookup) {
      const ids = new Set<string>();
      const found = new Promise(setImmediate).then(() => {
        lookups.delete(connectorId);
        return load(connectorId, ids);
      });
      lookup = { ids, found };
      lookups.set(connectorId, lookup);
    }
    lookup.ids.add(id);
    return lookup.found;
  };

  const insertRows = database.forRows<StoredChange, { readonly attempt: string }>(changeTypes, (rows) =>
    query
      .insertInto('ledger')
      .columns(['id', 'connector_id', 'process_id', 'begun_at', 'attempt', 'done', 'key_id', 'sealed'])
      .expression(
        query
          .selectFrom(rows)
          // Without its connector, which may have been deleted, a row cannot be inserted.
          .innerJoin('connectors', 'connectors.id', 'rows.connector_id')
          .select(['rows.id', 'rows.connector_id', 'rows.process_id', now.as('begun_at'), 'rows.attempt'])
          .select(['rows.done', 'rows.key_id', 'rows.sealed'])
          // SQLite would take `on conflict` for the condition of a join.
          .where(sql<boolean>`true`),
      )
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet(({ ref }) => ({
            connector_id: ref('excluded.connector_id'),
            process_id: ref('excluded.process_id'),
            begun_at: ref('excluded.begun_at'),
            attempt: ref('excluded.attempt'),
            done: ref('excluded.done'),
            key_id: ref('excluded.key_id'),
            sealed: ref('excluded.sealed'),
          }))
          .where(({ eb, and, or, ref }) =>
            or([
              eb('ledger.begun_at', '<=', forgotten),
              // Stored already, in a transaction whose result did not arrive, or to claim a plan.
              and([eb('ledger.attempt', '=', ref('excluded.attempt')), eb('ledger.done', '=', 0)]),
            ]),
          ),
      )
      .returning('attempt'),
  );
  const updateRows = database.forRows<StoredChange, { readonly attempt: string }>(changeTypes, (rows) =>
    query
      .updateTable('ledger')
      .from(rows)
      .set(({ ref }) => ({ done: ref('rows.done'), key_id: ref('rows.key_id'), sealed: ref('rows.sealed') }))
      .whereRef('ledger.id', '=', 'rows.id')
      .whereRef('ledger.attempt', '=', 'rows.attempt')
      .whereRef('ledger.process_id', '=', 'rows.process_id')
      .where('ledger.done', '=', 0)
      .where('ledger.begun_at', '>', forgotten)
      .returning('ledger.attempt'),
  );
  return {
    async find(connectorId, id) {
      const { organization, byId } = await lookUp(connectorId, id);
      if (organization === undefined) throw new StateConflict('The connector was deleted.');
      const row = byId.get(id);
      return { organization, ...(row && { row }) };
    },
    async store(organizationId, changes) {
      if (changes.length === 0) return new Set();
      const seal = await sealing.sealer(organizationId);
      const stored = changes.map(({ id, connectorId, attempt, done, content, isNew }) => {
        const { keyId, bytes } = seal(ledgerContext(organizationId, connectorId, id), content);
        const { ownId } = processes;
        const columns = {
          id,
          connector_id: connectorId,
          process_id: ownId,
          attempt,
          done,
          key_id: keyId,
          sealed: bytes,
        };
        return { isNew, columns };
      });
      const columnsOf = (isNew: boolean) => stored.flatMap((one) => (one.isNew === isNew ? one.columns : []));
      const own = [...(await insertRows(columnsOf(true))), ...(await updateRows(columnsOf(false)))];
      return new Set(own.map(({ attempt }) => attempt));
    },
  };
}
