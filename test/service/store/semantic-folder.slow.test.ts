import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { StoredEntity } from '../../../service/src/data/records/entity.js';
import { exportRecords, importRecords } from '../../../service/src/data/records/index.js';
import { passagesVersion } from '../../../service/src/data/records/schema.js';
import type { TextsOf } from '../../../service/src/data/records/types.js';
import { Connection } from '../../../service/src/data/sqlite.js';
import { newFolder, newStore, removeBuilt, workerCode } from './fixtures.js';
import {
  embedAll,
  notesCollection,
  sampleNotes,
  searchSemantically,
  semanticOptions,
  semanticSearchIds,
  textsOf,
} from './semantic-sample.js';

afterAll(removeBuilt);

const inMemory = (more: object = {}) => newStore({ folder: ':memory:', ...semanticOptions(), ...more });

describe('a folder', () => {
  it('searches in its own threads, and resumes after a restart', async () => {
    const folder = newFolder();
    const open = async () => newStore({ folder, ...semanticOptions(), worker: await workerCode() });
    const first = await open();
    await first.write(notesCollection, sampleNotes, textsOf);
    expect(await embedAll(first)).toBe(9);
    expect((await semanticSearchIds(first, { prompt: 'automobile', mode: 'dense' }))[0]).toBe('garage');
    await first.write(notesCollection, [{ id: 'later', body: 'An automobile.' }], textsOf);
    await first.remove(notesCollection, ['garage']);
    await embedAll(first);
    expect((await semanticSearchIds(first, { prompt: 'car', mode: 'dense' }))[0]).toBe('later');
    await expect(searchSemantically(first, { prompt: '' })).rejects.toMatchObject({ code: 'invalid_params' });
    await first.close();

    const second = await open();
    expect((await semanticSearchIds(second, { prompt: 'car', mode: 'dense' }))[0]).toBe('later');
    expect(await semanticSearchIds(second, { prompt: 'databse', filter: { eq: { ownerId: 'ann' } } })).toContain(
      'night',
    );
    expect(await second.passageCount(notesCollection, 'body', 'words-64')).toEqual({ passages: 5, embedded: 5 });
    expect(await second.removeConnector('con_1')).toBe(4);
    await second.close();
    const connection = new Connection(join(folder, 'records.db'));
    for (const table of [
      'passages',
      'passage_texts',
      'passage_words_docsize',
      'vectors',
      'embedded',
      'passage_fields',
    ]) {
      expect(connection.all(`select * from ${table}`), table).toEqual([]);
    }
    connection.close();
  });

  it('splits texts again if they were split differently before, and searches the old passages in the meantime', async () => {
    const folder = newFolder();
    const first = await newStore({ folder, ...semanticOptions(), worker: null });
    await first.write(notesCollection, sampleNotes, textsOf);
    await first.write({ ...notesCollection, entity: 'remarks' }, [{ id: 'a', body: 'A remark.' }], textsOf);
    await embedAll(first);
    await first.close();
    const connection = new Connection(join(folder, 'records.db'));
    connection.exec(
      `update entities set shape = replace(shape, '"version":${passagesVersion}', '"version":0') where name = 'sample.notes'`,
    );
    connection.close();
    const second = await newStore({ folder, ...semanticOptions(), worker: null });
    expect(await second.count(notesCollection)).toBe(4);
    expect(await second.passageCount(notesCollection, 'body')).toEqual({ passages: 6, embedded: 0 });
    expect(await semanticSearchIds(second, { prompt: 'car', mode: 'lexical' })).toEqual(['garage']);
    const asked: string[] = [];
    const whole: TextsOf = ({ body }) =>
      typeof body === 'string'
        ? [{ field: 'body', text: body, passages: [{ start: 0, end: [...body].length, attribution: {} }] }]
        : [];
    const cut = ({ entity }: StoredEntity) => {
      asked.push(entity);
      return whole;
    };
    await second.indexAgain(cut);
    expect(await second.passageCount(notesCollection, 'body')).toEqual({ passages: 3, embedded: 0 });
    expect(await semanticSearchIds(second, { prompt: 'car', mode: 'lexical' })).toEqual(['garage']);
    expect(await embedAll(second)).toBe(3);
    await second.indexAgain(cut);
    expect(asked).toEqual(['notes']);
  });

  it('exports its records to another folder, which splits them again', async () => {
    const store = await inMemory();
    await store.write(notesCollection, sampleNotes, textsOf);
    const lines: string[] = [];
    for await (const line of exportRecords(store)) lines.push(line);
    const other = await inMemory();
    await importRecords(other, lines, () => textsOf);
    expect(await semanticSearchIds(other, { field: 'turns', prompt: 'backup' })).toEqual(['night']);
    expect(await other.passageCount(notesCollection, 'body')).toEqual({ passages: 6, embedded: 0 });
    const without = await inMemory();
    await importRecords(without, lines);
    expect(await without.passageCount(notesCollection, 'body')).toEqual({ passages: 0, embedded: 0 });
  });

  it("splits each record's texts once, and yields to other work while doing so", async () => {
    const store = await inMemory();
    const records = Array.from({ length: 400 }, (_, index) => ({ id: `r${index}`, body: `Body ${index}` }));
    let [cut, ticks] = [0, 0];
    const timer = setInterval(() => ticks++, 1);
    await store.write(notesCollection, records, (record) => {
      cut += 1;
      for (const until = performance.now() + 0.4; performance.now() < until; );
      return textsOf(record);
    });
    clearInterval(timer);
    expect(cut).toBe(400);
    expect(ticks).toBeGreaterThan(5);
  });
});
