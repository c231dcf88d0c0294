import type { Gap } from 'agent-connectors/wire';
import type { Store } from '../data/records/index.js';
import type { Definitions } from '../domain/connectors/definitions.js';
import { openReadiness } from '../domain/connectors/readiness.js';
import type { Arguments } from './arguments.js';
import { withState } from './clients.js';
import type { Terminal } from './terminal.js';

/** How complete the exported records of an entity are. */
export interface ExportedEntity {
  readonly connector_id: string;
  readonly connector: string;
  readonly entity: string;
  readonly synced_at: string | null;
  readonly complete: boolean;
  readonly missing: readonly Gap[];
}

/** How complete the records of all connectors are, by entity: an export contains only what has been replicated. */
export async function exportedEntities(
  args: Arguments,
  store: Store,
  definitions: Definitions,
): Promise<ExportedEntity[]> {
  const found: ExportedEntity[] = [];
  await withState(args, async (state) => {
    const settle = async () => new Map<string, number>();
    const readiness = openReadiness({ state, definitions, store, replicates: true, embedderId: undefined, settle });
    for (const { id: organizationId } of await state.organizations.all()) {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await state.connectors.list({ organizationId }, { limit: 100, ...(cursor && { cursor }) });
        for (const row of page.rows.filter(({ type }) => definitions.replicatedTypes.includes(type))) {
          for (const { entity, status, synced_at, complete, missing } of (await readiness.of(row)).entities) {
            if (status === 'not_configured') continue;
            found.push({ connector_id: row.id, connector: row.name, entity, synced_at, complete, missing });
          }
        }
        cursor = page.next;
      }
    }
  });
  return found;
}

/** Says on standard error which exported records are incomplete. */
export function reportIncomplete(entities: readonly ExportedEntity[], terminal: Terminal): void {
  for (const { connector, entity, complete, missing } of entities) {
    if (complete) continue;
    const details = missing.filter(({ permanent }) => !permanent).map(({ detail }) => detail);
    terminal.error(`Incomplete: ${entity} of ${connector}: ${details.join(' ')}\n`);
  }
}
