import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { allNotes, allPages, createRequester, unlimitedSandbox } from './requester.js';

const day = 86_400_000;
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

describe('the list of notes', () => {
  it('has short rows with only an id, a title, an owner and two timestamps', async () => {
    const notes = await allNotes(createRequester(unlimitedSandbox()));
    expect(notes).toHaveLength(60);
    for (const note of notes) {
      expect(Object.keys(note).sort()).toEqual(['created_at', 'id', 'object', 'owner', 'title', 'updated_at']);
      expect(note).toMatchObject({ object: 'note', owner: { email: expect.stringContaining('@fernhill.example') } });
      expect(note.id).toMatch(/^not_[a-zA-Z0-9]{14}$/);
      for (const time of [note.created_at, note.updated_at]) expect(time).toBe(new Date(time).toISOString());
      expect(Date.parse(note.updated_at)).toBeLessThanOrEqual(noon);
    }
    expect(notes.some((note) => note.title === null)).toBe(true);
    expect(notes.some((note) => note.owner.name === null)).toBe(true);
    expect(notes.some((note) => /[^\u0020-\u024f]/.test(note.title))).toBe(true);
    expect(new Set(notes.map((note) => note.id)).size).toBe(60);
  });

  it('varies in length with the scale', async () => {
    for (const [scale, count] of [
      [0, 0],
      [0.1, 6],
      [3, 180],
    ] as const) {
      expect(await allNotes(createRequester(createSandbox({ scale, now: () => noon })))).toHaveLength(count);
    }
    const empty = await createRequester(createSandbox({ scale: 0 }))('/v1/notes');
    expect(empty.body).toEqual({ notes: [], hasMore: false, cursor: null });
  });

  it('has one page that is missing a row because of a deleted note', async () => {
    const pages = await allPages(createRequester(unlimitedSandbox()), '/v1/notes', { page_size: 10 });
    const sizes = pages.map((page) => page.notes.length);
    expect(sizes.slice(0, -1).filter((size) => size === 9)).toHaveLength(1);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(60);
  });

  it.each([
    ['31', 'Number must be less than or equal to 30'],
    ['0', 'Number must be greater than or equal to 1'],
    ['2.5', 'Expected integer, received float'],
    ['many', 'Expected number, received nan'],
  ])('rejects a page size of %s', async (page_size, message) => {
    expect(await createRequester(unlimitedSandbox())('/v1/notes', { page_size })).toMatchObject({
      status: 400,
      body: { message },
    });
  });

  it('rejects cursors it did not issue, including those from another list', async () => {
    const ask = createRequester(unlimitedSandbox());
    const { body } = await ask('/v1/folders', { page_size: 2 });
    for (const cursor of ['abc', '', body.cursor]) {
      const refused = await ask('/v1/notes', { cursor });
      expect(refused).toMatchObject({ status: 400, body: { message: 'Invalid cursor' } });
    }
  });

  it('ignores unknown parameters', async () => {
    const ask = createRequester(unlimitedSandbox());
    expect((await ask('/v1/notes', { created_affter: '2026-01-01', pageSize: 3 })).body.notes).toHaveLength(10);
  });
});

describe('filters', () => {
  it('accept dates and UTC times, and can be combined', async () => {
    const ask = createRequester(unlimitedSandbox());
    const notes = await allNotes(ask);
    const [from, to] = [noon - 90 * day, noon - 20 * day];
    const between = notes.filter(({ created_at }) => created_at > dateOf(from) && created_at < dateOf(to));
    expect(between.length).toBeGreaterThan(5);
    expect(await allNotes(ask, { created_after: dateOf(from), created_before: dateOf(to) })).toEqual(between);
    const moment = notes[4].created_at;
    expect(await allNotes(ask, { created_after: moment })).toEqual(notes.slice(0, 4));
    expect(await allNotes(ask, { created_before: moment.replace(/\.\d+/, '') })).toEqual(notes.slice(5));
    const updated = await allNotes(ask, { updated_after: moment });
    expect(updated).toEqual(notes.filter((note) => note.updated_at > moment));
  });

  it.each([
    '2026-04-01T00:00:00+00:00',
    '2026-04-01T00:00:00.123456-07:00',
    '2026-04-01T00:00:00',
    '2026-02-30',
    '2026-13-01',
    '2026-04-01T25:00:00Z',
    '1 April 2026',
    '',
  ])('reject %j as a date', async (date) => {
    const ask = createRequester(unlimitedSandbox());
    for (const name of ['created_before', 'created_after', 'updated_after']) {
      const refused = await ask('/v1/notes', { [name]: date });
      expect(refused).toMatchObject({ status: 400, body: { message: 'Invalid date' } });
    }
  });

  it('folder_id includes subfolders', async () => {
    const ask = createRequester(unlimitedSandbox());
    const folders = (await allPages(ask, '/v1/folders', { page_size: 4 })).flatMap((page) => page.folders);
    const named = (name: string) => folders.find((folder) => folder.name === name)!;
    const [product, roadmap, planning] = ['Product', 'Roadmap', 'Quarterly planning'].map(named);
    expect([roadmap.parent_folder_id, planning.parent_folder_id]).toEqual([product.id, roadmap.id]);
    const inProduct = await allNotes(ask, { folder_id: product.id });
    expect(inProduct).toEqual(await allNotes(ask, { folder_id: roadmap.id }));
    expect((await allNotes(ask, { folder_id: planning.id })).length).toBeGreaterThan(0);
    expect(inProduct.length).toBeGreaterThan((await allNotes(ask, { folder_id: planning.id })).length);
    expect(await allNotes(ask, { folder_id: named('Hiring').id })).toEqual([]);
    expect((await ask('/v1/notes', { folder_id: 'Product' })).status).toBe(400);
  });

  it('are not part of the cursor and must be sent with every page request', async () => {
    const ask = createRequester(unlimitedSandbox());
    const created_before = dateOf(noon - 30 * day);
    const { body } = await ask('/v1/notes', { created_before, created_after: dateOf(noon - 60 * day), page_size: 2 });
    const unfiltered = await allNotes(ask, { cursor: body.cursor });
    expect(unfiltered.length).toBeGreaterThan(30);
  });
});
