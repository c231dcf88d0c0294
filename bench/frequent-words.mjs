/**
 * Measures searches for words that many passages contain: `node bench/frequent-words.mjs [--passages 100000] [--folder
 * kept]`, in SQLite or in the Postgres database named by DATABASE_URL. An existing folder or database is reused if it
 * is already filled.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { library } from './store-library.mjs';
import { issue, randomBelow, text, vocabulary } from './store-records.mjs';

const { values: options } = parseArgs({
  options: {
    passages: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '40' },
    folder: { type: 'string' },
  },
});
const [total, rounds] = [Number(options.passages), Number(options.rounds)];
const collection = { connectorId: 'con_bench', type: 'linear', entity: 'issues' };
const { openStore, entitiesOf } = await library();
const { LinearConnector } = await import('agent-connectors/linear');
const { replication } = await LinearConnector.manifest.replication();
const entities = entitiesOf(LinearConnector.manifest, replication);
const databaseUrl = process.env.DATABASE_URL;
const scratch = databaseUrl || options.folder ? undefined : mkdtempSync(join(tmpdir(), 'bench-words-'));
const store = await openStore({
  ...(databaseUrl ? { databaseUrl } : { folder: options.folder ?? scratch }),
  entities,
  cursorKeys: () => [new Uint8Array(32).fill(1)],
  worker: null,
});

const whole = (field, value) => ({
  field,
  text: value,
  passages: [{ start: 0, end: [...value].length, attribution: {} }],
});
/** The texts to index: the description, and the title and identifiers. */
const textsOf = ({ title, identifier, state, description }) => [
  whole('description', description),
  whole('$about', `${title}\n${identifier} ${state.name}`),
];

try {
  if ((await store.count(collection)) < total) {
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    for (let made = 0; made < total; made += 1000) {
      const records = Array.from({ length: Math.min(1000, total - made) }, (_, index) => ({
        ...issue(made + index + 1),
        description: text(80),
      }));
      await store.write(collection, records, textsOf);
    }
    const { user, system } = process.cpuUsage(cpu);
    const perSecond = (ms) => Math.round(total / (ms / 1000));
    console.log(
      `${perSecond(performance.now() - started)} records with titles per second, ${perSecond((user + system) / 1000)} per second of this process's CPU time`,
    );
  }
  const frequent = (most) => vocabulary[randomBelow(most)];
  const prompts = {
    'the most frequent word': () => vocabulary[0],
    'one of the 5 most frequent words': () => frequent(5),
    'one of the 20 most frequent words': () => frequent(20),
    'three of the 20 most frequent words': () => [frequent(20), frequent(20), frequent(20)].join(' '),
    'two of the 20 most frequent words and a rare one': () =>
      [frequent(20), frequent(20), vocabulary[5000 + randomBelow(5000)]].join(' '),
    'one rare word': () => vocabulary[5000 + randomBelow(5000)],
  };
  console.log('| Lexical search, ms | p50 | p99 | CPU p50 |\n|---|--:|--:|--:|');
  for (const [name, prompt] of Object.entries(prompts)) {
    const [durations, cpus] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const params = { semantic: { field: 'description', prompt: prompt(), mode: 'lexical' } };
      const [started, cpu] = [performance.now(), process.cpuUsage()];
      await store.semanticSearch({ ...collection, params });
      durations.push(performance.now() - started);
      const { user, system } = process.cpuUsage(cpu);
      cpus.push((user + system) / 1000);
    }
    for (const list of [durations, cpus]) list.sort((one, other) => one - other);
    const at = (list, share) => list[Math.min(list.length - 1, Math.floor(list.length * share))].toFixed(1);
    console.log(`| ${name} | ${at(durations, 0.5)} | ${at(durations, 0.99)} | ${at(cpus, 0.5)} |`);
  }
} finally {
  await store.close();
  if (scratch) rmSync(scratch, { recursive: true, force: true });
}
