import { expect, it } from 'vitest';
import { openPostgres } from '../../../service/src/data/records/drivers/postgres/driver.js';
import { cosineTo, encodeVectorBytes } from '../../../service/src/data/records/drivers/postgres/vectors.js';
import type { Condition } from '../../../service/src/data/records/plan.js';
import { layoutOf } from '../../../service/src/data/records/schema.js';
import { emptyPostgres } from './pglite.js';
import { recordStatements } from './recorded.js';
import { notes, textsOf } from './semantic-sample.js';

const layout = layoutOf(notes);
const embedder = 'numbers';
const dimensions = 16;
const ownerIs = (owner: string): Condition => ({
  test: 'among',
  ref: { column: layout.columns.find(({ field }) => field === 'ownerId')!, path: [] },
  values: [owner],
});

/** A vector that depends on a text alone. */
function vectorOf(text: string): Float32Array {
  let state = [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.codePointAt(0)!) | 0, 7);
  return Float32Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  });
}

const noteOf = (index: number, version = 0) => ({
  id: `n${String(index).padStart(5, '0')}`,
  title: 'Note',
  body: `Text ${index} in version ${version}.`,
  ownerId: index % 300 === 0 ? 'few' : index % 2 === 0 ? 'even' : 'odd',
});
type Note = ReturnType<typeof noteOf>;

async function open(options: { readonly statements?: string[] } = {}) {
  const own = await emptyPostgres({ pgvector: false });
  const pool = recordStatements(own, (sql) => void options.statements?.push(sql));
  const reopen = () => openPostgres(pool, [layout], 0);
  const driver = await reopen();
  const stored = new Map<string, Note>();
  const write = async (records: readonly Note[], to = driver) => {
    await to.write(layout, 'con_1', records, records.map(textsOf), 0);
    for (const record of records) stored.set(record.id, record);
  };
  const embedAll = async () => {
    for (;;) {
      const passages = await driver.passages!.unembedded(embedder, 500);
      if (passages.length === 0) return;
      await driver.passages!.embed(
        embedder,
        passages.map(({ passage, text }) => ({ passage, vector: vectorOf(text) })),
      );
    }
  };
  const remove = async (records: readonly Note[]) => {
    await driver.remove(
      layout,
      'con_1',
      records.map(({ id }) => id),
      0,
    );
    for (const { id } of records) stored.delete(id);
  };
  /** Expects the passages that comparing all vectors finds. */
  const expectNearest = async (prompt: string, owner?: string, limit = 40, from = driver) => {
    const vector = vectorOf(prompt);
    const cosine = cosineTo(vector);
    const expected = [...stored.values()]
      .filter(({ ownerId }) => owner === undefined || ownerId === owner)
      .map(({ id, body }) => ({ record: id, score: cosine(encodeVectorBytes(vectorOf(body))) }))
      .sort((one, other) => other.score - one.score)
      .slice(0, limit);
    const scope = {
      connectorId: 'con_1',
      field: 'body',
      condition: owner === undefined ? undefined : ownerIs(owner),
      limit,
    };
    const found = await from.passages!.nearest(layout, scope, { embedder, vector, embedded: stored.size });
    expect(found.map(({ record, score }) => ({ record, score }))).toEqual(expected);
  };
  return { pool, driver, reopen, write, embedAll, remove, expectNearest };
}

it('finds the nearest vectors in a copy, also after records were added, changed and removed', async () => {
  const statements: string[] = [];
  const { write, embedAll, remove, expectNearest } = await open({ statements });
  const all = Array.from({ length: 1500 }, (_, index) => noteOf(index));
  await write(all);
  await embedAll();
  const check = async () => {
    for (const owner of [undefined, 'odd', 'even', 'few', 'none']) {
      for (const prompt of ['one', 'another']) await expectNearest(prompt, owner);
    }
    await expectNearest('deep', 'odd', 700);
  };
  await check();
  const reads = () => statements.filter((sql) => sql.includes('string_agg(vector')).length;
  const before = reads();
  await check();
  // Vectors are read once.
  expect(reads()).toBe(before);
  await write(all.slice(0, 300).map((_, index) => noteOf(index, 1)));
  await embedAll();
  await check();
  await remove(all.slice(100, 1100));
  await check();
  await write(all.slice(200, 500).map((_, index) => noteOf(index + 200, 2)));
  await embedAll();
  await check();
});

it('concurrent searches share a copy, and each process has its own', async () => {
  const { write, embedAll, reopen, expectNearest } = await open();
  const all = Array.from({ length: 400 }, (_, index) => noteOf(index));
  await write(all);
  await embedAll();
  const other = await reopen();
  await Promise.all(
    ['a', 'b', 'c'].flatMap((prompt) => [expectNearest(prompt), expectNearest(prompt, 'odd', 10, other)]),
  );
  await write([noteOf(400), noteOf(0, 1)]);
  await embedAll();
  await Promise.all(
    ['a', 'b', 'c'].flatMap((prompt) => [expectNearest(prompt), expectNearest(prompt, 'odd', 10, other)]),
  );
});

it('finds vectors that were stored before there were revisions, or by a process of an older release', async () => {
  const { pool, write, embedAll, reopen, expectNearest } = await open();
  await write(Array.from({ length: 200 }, (_, index) => noteOf(index)));
  await embedAll();
  await pool.writeTransaction(async (query) => {
    await query('drop index vectors_bytes_by_revision');
    await query('alter table vectors_bytes drop column revision');
    await query('alter table embedded drop column revision');
    await query('delete from versions where version = 6');
  });
  const upgraded = await reopen();
  await expectNearest('old', undefined, 40, upgraded);
  await write([noteOf(200), noteOf(201)], upgraded);
  await embedAll();
  await expectNearest('new', undefined, 40, upgraded);
  await write([noteOf(202)], upgraded);
  await embedAll();
  // As an older release stores them.
  await pool.writeTransaction(async (query) => {
    await query(`set local agent_connectors.scope = 'all'`);
    await query('update embedded set revision = 0');
    await query('update vectors_bytes set revision = 0');
  });
  await expectNearest('Text 202 in version 0.', undefined, 40, upgraded);
});
