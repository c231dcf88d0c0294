import { lookUpPlace, noPlace, type Place, type RecordSource, type Statements } from '../../places.js';
import type { FieldRef } from '../../plan.js';
import type { Layout } from '../../schema.js';
import type { Query } from './connection.js';
import { postgresDialect } from './dialect.js';
import { enterConnector, ownRows } from './row-security.js';

/** Looks up what records have at a path inside an object field. */
export const placeOf = async (query: Query, layout: Layout, connectorId: string, ref: FieldRef): Promise<Place> =>
  (await read(query, layout, connectorId, (source) => lookUpPlace(source, ref))) ?? noPlace;

/** What statements over the records of a connector come to, inside of a transaction; nothing where it has none. */
async function read<Result>(
  query: Query,
  layout: Layout,
  connectorId: string,
  statementsOf: (source: RecordSource) => Statements<Result>,
): Promise<Result | undefined> {
  const connector = await enterConnector(query, connectorId);
  if (connector === undefined) return undefined;
  const statements = statementsOf({
    dialect: postgresDialect(new Map()),
    table: ownRows(layout.table),
    where: 'r.connector = $1',
    connector,
    mark: (place) => `$${place}`,
  });
  let step = statements.next();
  while (!step.done) step = statements.next(await query(step.value.sql, step.value.values));
  return step.value;
}
