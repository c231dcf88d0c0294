import { GranolaConnector } from 'agent-connectors/granola';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { warmUpAndFreezeTime } from '../../engine/time.js';
import { failure } from '../../failure.js';
import { collect } from '../calls.js';
import { connectorOnSandbox } from './setup.js';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const { granola } = connectorOnSandbox();
const notes = collect(granola.paginate('notes', 'list', { page_size: 30 }));

describe("a workspace's notes", () => {
  test('are returned ten at a time by default', async () => {
    const pages = connectorOnSandbox().granola.paginate('notes', 'list').pages();
    const sizes: number[] = [];
    for await (const { data } of pages) sizes.push(data.length);
    expect(Math.max(...sizes)).toBe(10);
  });

  test('have times in UTC with milliseconds', async () => {
    for (const { created_at, updated_at } of await notes) {
      expect(created_at).toMatch(instant);
      expect(updated_at).toMatch(instant);
    }
  });

  test('can be filtered by a date, which means midnight UTC', async () => {
    const { granola: own } = connectorOnSandbox();
    const sixth = (await own.notes.list()).data[5]!;
    const day = sixth.created_at!.slice(0, 10);
    const before = await collect(own.paginate('notes', 'list', { created_before: day, page_size: 30 }));
    const after = await collect(own.paginate('notes', 'list', { created_after: day, page_size: 30 }));
    expect(before.length).toBeGreaterThan(0);
    expect(before.every(({ created_at }) => created_at! < day)).toBe(true);
    expect(after.map(({ id }) => id)).toContain(sixth.id);
    const both = await own.notes.list({ created_after: day, created_before: day });
    expect(both.data).toEqual([]);
  });

  test('can be filtered by an instant, in the format of toISOString', async () => {
    const { granola: own } = connectorOnSandbox();
    const at = (await own.notes.list()).data[3]!.created_at!;
    const created_after = new Date(at).toISOString();
    const later = (await own.notes.list({ created_after, page_size: 30 })).data;
    expect(later.every(({ created_at }) => created_at! > at)).toBe(true);
    expect(later).toHaveLength(3);
  });

  test('are fewer for a workspace or personal key, without an error', async () => {
    for (const mode of ['workspace', 'personal'] as const) {
      const own = await collect(connectorOnSandbox({ mode }).granola.paginate('notes', 'list', { page_size: 30 }));
      expect(own.length, mode).toBeLessThan((await notes).length);
    }
  });

  test.each(['no_scope', 'inactive'] as const)(
    'are forbidden for a key with %s, and the hint says why',
    async (mode) => {
      const error = await failure(connectorOnSandbox({ mode }).granola.notes.list());
      expect(error).toMatchObject({ code: 'forbidden', status: 403, retryable: false });
      expect(error.hint).toMatch(/plan|scope/);
      if (mode === 'inactive') expect(error.vendor?.code).toBe('SUBSCRIPTION_INACTIVE');
    },
  );

  test('appear once they have been summarized', async () => {
    const sandbox = createSandbox({ seed: 7 });
    const credentials = sandbox.vendors.granola.credentials.api_key;
    const own = new GranolaConnector({ credentials, fetch: sandbox.fetch });
    const [before] = (await own.notes.list({ page_size: 1 })).data;
    sandbox.clock.advance(3_600_000);
    const [fresh] = (await own.notes.list({ page_size: 1 })).data;
    expect(fresh!.id).not.toBe(before!.id);
    sandbox.clock.advance(-3_600_000);
    const error = await failure(own.notes.get({ note_id: fresh!.id }));
    expect(error).toMatchObject({ code: 'not_found', status: 404, retryable: false });
    expect(error.hint).toContain('still being summarized');
  });

  test('that are inaccessible do not affect the others', async () => {
    const { granola: own } = connectorOnSandbox();
    const ids = ['not_00000000000000', ...(await notes).slice(0, 2).map(({ id }) => id)];
    const found = await Promise.allSettled(ids.map((note_id) => own.notes.get({ note_id })));
    expect(found.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });

  test('have a summary, and a transcript only on request', async () => {
    const { granola: own } = connectorOnSandbox();
    const note_id = (await notes)[0]!.id;
    const plain = (await own.notes.get({ note_id })).data;
    expect(plain.summary_text).toBeTruthy();
    expect(plain.attendees).not.toBeNull();
    expect(plain.transcript).toBeNull();
    const { transcript } = (await own.notes.get({ note_id, include: 'transcript' })).data;
    expect(transcript!.length).toBeGreaterThan(0);
    for (const { start_time, end_time } of transcript!) {
      expect(start_time).toMatch(instant);
      expect(end_time! >= start_time!).toBe(true);
    }
  });

  test('of a long meeting include the whole transcript', async () => {
    const { granola: own, sandbox } = connectorOnSandbox();
    let longest = 0;
    for (const { id } of (await notes).slice(0, 12)) {
      const { transcript } = (await own.notes.get({ note_id: id, include: 'transcript' })).data;
      longest = Math.max(longest, transcript!.length);
      if (sandbox.requests.some(({ path }) => path.endsWith('/transcript'))) break;
    }
    expect(sandbox.requests.some(({ status }) => status === 413)).toBe(true);
    expect(longest).toBeGreaterThan(1_000);
  });
});

test('limits requests to 25 per five seconds and delays the next one', async () => {
  await warmUpAndFreezeTime();
  const { granola: own, sandbox } = connectorOnSandbox({ timeoutMs: 2_000 });
  const calls = Array.from({ length: 26 }, () => own.notes.list({ page_size: 1 }));
  const ended = await Promise.allSettled(calls);
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(25);
  expect(sandbox.requests).toHaveLength(25);
  const error = await failure(calls[25]!);
  expect(error.code).toBe('rate_limited');
  expect(error.retryAfterMs).toBe(5_250);
});

test('a rejected request never returns an empty list', async () => {
  const { granola: own } = connectorOnSandbox();
  const error = await failure(own.notes.list({ cursor: 'no cursor of yours' }));
  expect(error).toMatchObject({ code: 'invalid_params', status: 400 });
});

test('a folder contains the notes in its subfolders', async () => {
  const { granola: own } = connectorOnSandbox();
  const full = await Promise.all((await notes).slice(0, 20).map(({ id }) => own.notes.get({ note_id: id })));
  const held = full.flatMap(({ data }) =>
    data.folder_membership!.map((folder) => ({
      note: data.id,
      folder: folder as typeof folder & { parent_folder_id: string | null },
    })),
  );
  const inner = held.find(({ folder }) => folder.parent_folder_id !== null)!;
  const listed = await collect(
    connectorOnSandbox().granola.paginate('notes', 'list', {
      folder_id: inner.folder.parent_folder_id!,
      page_size: 30,
    }),
  );
  expect(listed.map(({ id }) => id)).toContain(inner.note);
  expect(listed.length).toBeLessThan((await notes).length);
});
