import type { WorkspaceHit } from 'agent-connectors/wire';
import { searchRecords } from './execute.js';
import { idOf } from './hits.js';
import { type Fields, keyField, textOf } from './record.js';

/** The records of hits whose title or metadata matched, which do not contain their text. */
export async function recordsOf(hits: readonly WorkspaceHit[]): Promise<ReadonlyMap<string, Fields>> {
  const lists = new Map<string, WorkspaceHit[]>();
  for (const hit of hits) {
    const name = `${hit.connector.id} ${hit.entity_name}`;
    if (hit.field === 'about' && textOf(idOf(hit))) lists.set(name, [...(lists.get(name) ?? []), hit]);
  }
  const found = new Map<string, Fields>();
  await Promise.all(
    [...lists.values()].map(async (list) => {
      const { connector, entity, entity_name } = list[0]!;
      const key = keyField(Object.keys(entity).sort())!;
      const query = { filter: { in: { [key]: list.map(idOf) } } };
      // Without their records, hits have less text.
      const { data } = await searchRecords(connector.id, entity_name, { query, limit: list.length }).catch(() => ({
        data: [],
      }));
      for (const record of data as readonly Fields[])
        found.set(JSON.stringify([connector.id, entity_name, record[key]]), record);
    }),
  );
  return found;
}
