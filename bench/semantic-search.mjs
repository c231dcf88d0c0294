/**
 * Measures the context store's semantic search: `node bench/semantic-search.mjs [--passages 1000000] [--dimensions
 * 384] [--rounds 500] [--postgres postgres://…]`. SQLite runs as shipped, with its worker threads; `--postgres` names an
 * empty database instead. The vectors are generated in clusters. Prints one table at the end.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { library } from './store-library.mjs';
import { issue, random, randomBelow, text, vocabulary } from './store-records.mjs';

const { values: options } = parseArgs({
  options: {
    passages: { type: 'string', default: '100000' },
    dimensions: { type: 'string', default: '384' },
    rounds: { type: 'string', default: '500' },
    postgres: { type: 'string' },
  },
});
const [total, dimensions, rounds] = [options.passages, options.dimensions, options.rounds].map(Number);
const collection = { connectorId: 'con_bench', type: 'linear', entity: 'issues' };

/** Approximately normal: the sum of a few uniform values. */
const normal = () => random() + random() + random() + random() - 2;
const unit = (vector) => {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
};
const centroids = Array.from({ length: 500 }, () => Float32Array.from({ length: dimensions }, normal));
const near = (spread) => {
  const centre = centroids[randomBelow(centroids.length)];
  return unit(centre.map((value) => value + spread * normal()));
};

const all = new Float32Array(total * dimensions);
const sortOrders = new Float64Array(total);
let queryVector;
const embedder = { id: 'bench', embed: async (texts) => texts.map(() => queryVector) };

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const ms = (value) => (value < 10 ? value.toFixed(1) : value.toFixed(0));

/** Times `work` on input prepared before each round. */
async function timed(prepare, work) {
  const durations = [];
  for (let round = 0; round < rounds; round++) {
    const input = prepare();
    const started = performance.now();
    await work(input);
    durations.push(performance.now() - started);
  }
  durations.sort((one, other) => one - other);
  return { least: durations[0], p50: at(durations, 0.5), p99: at(durations, 0.99) };
}

/** The ten nearest neighbors, found by comparing the original vectors. */
function exactNearest(vector, highest) {
  const scores = [];
  for (let index = 0; index < total; index++) {
    if (sortOrders[index] >= highest) continue;
    let sum = 0;
    const from = index * dimensions;
    for (let place = 0; place < dimensions; place++) sum += vector[place] * all[from + place];
    scores.push([index, sum]);
  }
  return scores
    .sort((one, other) => other[1] - one[1])
    .slice(0, 10)
    .map(([index]) => index + 1);
}

const { openStore, entitiesOf } = await library();
const { LinearConnector } = await import('agent-connectors/linear');
const { replication } = await LinearConnector.manifest.replication();
const entities = entitiesOf(LinearConnector.manifest, replication);
const scratch = mkdtempSync(join(tmpdir(), 'bench-meaning-'));
const open = () =>
  openStore({
    ...(options.postgres ? { databaseUrl: options.postgres } : { folder: scratch }),
    entities,
    embedders: [embedder],
    cursorKeys: () => [new Uint8Array(32).fill(1)],
  });
const rows = [];
/** Adds a table row; `aim` is the maximum or, if negative, the negated minimum. */
const addRow = (label, value, aim) => {
  const text = Array.isArray(value) ? value.map(ms) : [String(value)];
  const last = Number(Array.isArray(value) ? value.at(-1) : value);
  const [bound, missed] = aim < 0 ? [`≥ ${-aim}`, last < -aim] : [`≤ ${aim}`, last > aim];
  rows.push([label, ...Array(3 - text.length).fill(''), ...text, aim ? `${bound}${missed ? ' (missed)' : ''}` : '']);
  process.stderr.write(`${label}: ${text.join(' / ')}\n`);
};
const table = () => {
  const head = ['', 'minimum', 'p50', 'p99 or value', 'target'];
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (cells) =>
    `| ${cells.map((cell, at) => (at ? cell.padStart(widths[at]) : cell.padEnd(widths[0]))).join(' | ')} |`;
  return [
    line(head),
    `|${widths.map((width, at) => (at ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2))).join('|')}|`,
    ...rows.map(line),
  ].join('\n');
};
/** Anonymous memory in MB, if the system reports it. */
const anonymousMemoryMb = () => {
  const path = '/proc/self/smaps_rollup';
  const [, kilobytes] = (existsSync(path) && /^Anonymous:\s+(\d+)/m.exec(readFileSync(path, 'utf8'))) || [];
  return kilobytes && Math.round(kilobytes / 1000);
};

try {
  let store = await open();
  const words = [];
  let wrote = 0;
  for (let made = 0; made < total; ) {
    const records = Array.from({ length: Math.min(1000, total - made) }, (_, index) => {
      const record = { ...issue(made + index + 1), description: text(80) };
      sortOrders[made + index] = record.sortOrder;
      return record;
    });
    if (words.length < 4000) words.push(...records.slice(0, 100).flatMap(({ description }) => description.split(' ')));
    const started = performance.now();
    await store.write(collection, records, ({ description }) => [
      {
        field: 'description',
        text: description,
        passages: [{ start: 0, end: description.length, attribution: {} }],
      },
    ]);
    wrote += performance.now() - started;
    made += records.length;
  }
  addRow('records with passages, per second', Math.round(total / (wrote / 1000)));
  let embedded = 0;
  const embedding = performance.now();
  for (;;) {
    const passages = await store.unembedded('bench', 1000);
    if (passages.length === 0) break;
    await store.embed(
      'bench',
      passages.map(({ passage }) => {
        const vector = near(0.9);
        all.set(vector, (passage - 1) * dimensions);
        return { passage, vector };
      }),
    );
    embedded += passages.length;
  }
  addRow('vectors per second', Math.round(embedded / ((performance.now() - embedding) / 1000)));
  const same = await store.unembedded('bench', 10);
  if (same.length > 0 || embedded !== total) throw new Error('Not every passage was embedded.');
  const search = (prompt, mode, filter, more = {}) =>
    store.semanticSearch({
      ...collection,
      params: { semantic: { field: 'description', prompt, mode, ...(filter && { filter }), ...more } },
    });
  const shares = [
    ['', 10_000, 45],
    [', filter matches 50%', 5000, 45],
    [', filter matches 5%', 500, 5],
    [', filter matches 0.5%', 50, 5],
  ];
  let prompts = 0;
  // Each prompt is new, since repeated ones are cached.
  const ask = () => {
    queryVector = near(0.5);
    return `x${prompts++}`;
  };
  const filterOf = (highest) => (highest < 10_000 ? { lt: { sortOrder: highest } } : undefined);
  const measure = async (label, goalMs, prepare, work) => {
    for (let round = 0; round < 10; round++) await work(prepare());
    const { least, p50, p99 } = await timed(prepare, work);
    addRow(`${label}, ms`, [least, p50, p99], goalMs);
  };
  await measure('dense, filter matches 5%, in a newly filled store', 5, ask, (prompt) =>
    search(prompt, 'dense', filterOf(500)),
  );
  await store.close();
  const size = readdirSync(scratch).reduce((sum, file) => sum + statSync(join(scratch, file)).size, 0);
  if (!options.postgres) addRow('on disk, MB', Math.round(size / 1e6));

  for (const [label, prompt] of [
    ['nearly all passages', vocabulary[0]],
    ['few passages', vocabulary[1000]],
  ]) {
    const opened = performance.now();
    store = await open();
    await search(prompt, 'lexical');
    addRow(`cold open and first search for a word in ${label}, ms`, [performance.now() - opened]);
    await store.close();
  }
  store = await open();
  const word = () => words[randomBelow(words.length)];
  const first = performance.now();
  await search(ask(), 'dense');
  addRow('first vector search, ms', [performance.now() - first]);

  for (const [label, highest, most] of shares) {
    await measure(`dense${label}`, most, ask, (prompt) => search(prompt, 'dense', filterOf(highest)));
  }
  // Measures the machine's own jitter with a loop that sends no requests.
  const loop = (steps) => {
    let sum = 0;
    for (let step = 0; step < steps; step++) sum += Math.sqrt(step);
    return sum;
  };
  loop(1_000_000);
  const begun = performance.now();
  loop(50_000_000);
  const steps = (3 * 50_000_000) / (performance.now() - begun);
  await measure('a loop of about 3 ms, for comparison', 0, () => steps, loop);
  const rare = vocabulary.slice(10_000);
  const some = (count, choose) => Array.from({ length: count }, choose).join(' ');
  const misspelt = () => rare[randomBelow(rare.length)].replace(/..$/, 'zz');
  for (const [label, prompt] of [
    ['lexical, one word', word],
    ['lexical, three words', () => some(3, word)],
    ['lexical, eight words', () => some(8, word)],
    ['lexical, three words, one misspelled', () => `${some(2, word)} ${misspelt()}`],
  ]) {
    await measure(label, 0, prompt, (words) => search(words, 'lexical'));
  }
  const three = () => {
    ask();
    return some(3, word);
  };
  await measure('lexical, three words, filter matches 5%', 0, three, (words) =>
    search(words, 'lexical', filterOf(500)),
  );
  await measure('hybrid, three words', 0, three, (words) => search(words, 'hybrid'));
  await measure('hybrid, three words, filter matches 5%', 0, three, (words) => search(words, 'hybrid', filterOf(500)));
  for (const [label, highest] of shares) {
    let [hit, wanted] = [0, 0];
    for (let round = 0; round < 20; round++) {
      const { hits } = await search(ask(), 'dense', filterOf(highest));
      const numbers = hits.map(({ record }) => record.number);
      const best = exactNearest(queryVector, highest);
      wanted += best.length;
      hit += best.filter((number) => numbers.includes(number)).length;
    }
    addRow(`recall@10${label}`, (hit / wanted).toFixed(3), -0.98);
  }
  addRow('memory, including file-backed pages, MB', Math.round(process.memoryUsage.rss() / 1e6));
  const own = anonymousMemoryMb();
  if (own)
    addRow(
      `memory, excluding file-backed pages, MB (${Math.round(all.byteLength / 1e6)} of them used by the benchmark itself)`,
      own,
    );
  await store.close();
  console.log(
    `### Semantic search over ${total.toLocaleString('en')} passages\n\n${dimensions}-dimensional vectors, in ${options.postgres ? 'Postgres' : 'SQLite'}.\n\n${table()}\n`,
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
