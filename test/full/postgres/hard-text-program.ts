import { readFileSync } from 'node:fs';
import { ConnectorError } from 'agent-connectors';
import { openStore } from '../../../service/src/data/records/open.js';
import { textsOf } from '../../../service/src/data/records/passages/split-passages.js';
import { type HardSample, hardEntity } from '../../service/store/hard-text.js';

// Prints what each search over samples of hard text finds, one per line: `program.js FILE [DATABASE_URL]`.
const [file = '', databaseUrl] = process.argv.slice(2);
const samples = JSON.parse(readFileSync(file, 'utf8')) as readonly HardSample[];
const cursorKeys = (): [Uint8Array] => [new Uint8Array(32).fill(7)];
const place = databaseUrl === undefined ? { folder: ':memory:' } : { databaseUrl };
const store = await openStore({ cursorKeys, entities: [hardEntity], searchTimeoutMs: 600_000, ...place });
const texts = textsOf({}, ['body'], hardEntity.about);

async function found(connectorId: string, search: HardSample['searches'][number]): Promise<unknown> {
  const collection = { connectorId, type: hardEntity.type, entity: hardEntity.entity };
  try {
    if ('prompt' in search) {
      const params = { semantic: { prompt: search.prompt, mode: 'lexical' } };
      const { hits, meta } = await store.semanticSearch({ ...collection, params });
      return { hits: hits.map(({ record, context }) => ({ id: record.id, context })), unmatched: meta.unmatched_words };
    }
    const { data, meta } = await store.search({ ...collection, params: { ...search } });
    return { ids: data.map(({ id }) => id), more: meta.cursor !== null, empty: meta.empty };
  } catch (error) {
    if (ConnectorError.is(error)) return { code: error.code, message: error.message };
    throw error;
  }
}

for (const [index, { records, searches }] of samples.entries()) {
  const connectorId = `con_${index}`;
  await store.write({ connectorId, type: hardEntity.type, entity: hardEntity.entity }, records, texts);
  for (const search of searches) process.stdout.write(`${JSON.stringify(await found(connectorId, search))}\n`);
}
await store.close();
