import { ConnectorError, suggestion } from 'agent-connectors';
import type { ChangesPage, ReadChanges } from 'agent-connectors/wire';
import type { ConnectorRow } from '../../data/state/rows.js';
import { type Definitions, searchAction } from './definitions.js';
import type { Gate } from './gate.js';
import type { Readiness } from './readiness.js';
import type { RecordReader } from './record-reader.js';

const defaultLimit = 100;

/** Dependencies of change feeds. */
export interface ChangesDependencies {
  readonly definitions: Definitions;
  readonly gate: Gate;
  readonly readiness: Readiness;
  readonly records: RecordReader;
}

/** Reads changes of an entity's replicated records; allowed, limited and audited like a search of the entity. */
export function changesOf(
  row: ConnectorRow,
  { entity, cursor, limit = defaultLimit }: ReadChanges,
  { definitions, gate, readiness, records }: ChangesDependencies,
): Promise<ChangesPage> {
  const { searchable } = definitions.of(row.type);
  if (!Object.hasOwn(searchable, entity)) {
    const valid = suggestion(entity, Object.keys(searchable), 'entities');
    throw new ConnectorError(
      'unknown_entity',
      `${row.type} has no searchable entity '${entity.slice(0, 100)}'. ${valid}`,
    );
  }
  const call = { row, entity, action: searchAction, params: { changes: { cursor, limit } } };
  return gate.pass(call, async (permit) => {
    const { readiness: state, ...completeness } = await readiness.ofSearch(row, entity);
    const collection = { connectorId: row.id, type: row.type, entity };
    const page = await records.changes(permit, collection, { cursor, limit });
    const data = page?.changes.map(({ change, id, at, record }) => ({
      change,
      id,
      changed_at: new Date(at).toISOString(),
      record,
    }));
    const position = page ?? { cursor: cursor ?? null, has_more: false };
    return {
      data: data ?? [],
      meta: {
        cursor: position.cursor,
        has_more: position.has_more,
        synced_at: state.synced_at,
        ...completeness,
      },
    };
  });
}
