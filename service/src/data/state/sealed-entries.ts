import { type Database, withinOrganization } from './database.js';
import { ledgerContext } from './ledger-rows.js';
import { planContext } from './plans.js';
import type { SealedColumns, Sealing, TenantContext } from './sealing.js';
import type { SealedEntries } from './types.js';

const batchSize = 100;

/** Opens the entries in the database. */
export function openSealedEntries(database: Database, sealing: Sealing): SealedEntries {
  const { query } = database;
  async function* rowsOf<Row extends { readonly id: string }>(
    page: (after: string) => Promise<readonly Row[]>,
  ): AsyncGenerator<Row> {
    for (let after = ''; ; ) {
      const rows = await page(after);
      yield* rows;
      if (rows.length < batchSize) return;
      after = rows.at(-1)!.id;
    }
  }
  const writes = (organizationId: string, after: string) =>
    query
      .selectFrom('ledger')
      .innerJoin('connectors', 'connectors.id', 'ledger.connector_id')
      .select(['ledger.id', 'ledger.connector_id', 'ledger.done', 'ledger.key_id', 'ledger.sealed'])
      .where('connectors.organization_id', '=', organizationId)
      .where('ledger.id', '>', after)
      .orderBy('ledger.id')
      .limit(batchSize);
  const plans = (organizationId: string, after: string) =>
    query
      .selectFrom('plans')
      .select(['id', 'connector_id', 'organization_id', 'key_id', 'sealed'])
      .where('organization_id', '=', organizationId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(batchSize);
  const open = async (context: TenantContext, row: SealedColumns): Promise<unknown> =>
    JSON.parse(await sealing.open(context, row));
  return {
    async *all(organizationId) {
      const within = <T>(work: () => Promise<T>) => withinOrganization(organizationId, work);
      for await (const row of rowsOf((after) => within(() => writes(organizationId, after).execute()))) {
        const { id, connector_id: connectorId, done } = row;
        const content = await open(ledgerContext(organizationId, connectorId, id), row);
        yield { kind: 'write', id, organizationId, connectorId, content, isErasable: done === 1 };
      }
      for await (const row of rowsOf((after) => within(() => plans(organizationId, after).execute()))) {
        const content = await open(planContext(row), row);
        yield { kind: 'plan', id: row.id, organizationId, connectorId: row.connector_id, content, isErasable: true };
      }
    },
    erase: ({ kind, id, organizationId, connectorId, content }) =>
      withinOrganization(organizationId, () =>
        database.transaction(async () => {
          if (kind === 'plan') {
            await query.deleteFrom('plans').where('id', '=', id).execute();
            return;
          }
          const { bodyHash, status } = content as { readonly bodyHash: string; readonly status: number };
          const erased = { bodyHash, sent: null, status: 410, body: erasedReply(status) };
          const sealed = await sealing.seal(ledgerContext(organizationId, connectorId, id), JSON.stringify(erased));
          const changed = { key_id: sealed.keyId, sealed: sealed.bytes };
          await query.updateTable('ledger').set(changed).where('id', '=', id).where('done', '=', 1).execute();
        }),
      ),
  };
}

const erasedReply = (status: number): string =>
  JSON.stringify({
    message: `This write was already executed with status ${status}; its response has been erased.`,
    code: 'not_found',
    errors: [],
    hint: 'Do not retry. Check what the write changed.',
    retryable: false,
    request_id: null,
    vendor: null,
  });
