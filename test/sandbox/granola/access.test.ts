import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { allNotes, allPages, createRequester, fullNotes, unlimitedSandbox } from './requester.js';

const list = 'https://public-api.granola.ai/v1/notes';

describe('keys', () => {
  it.each([
    ['none', undefined],
    ['an unknown key', 'Bearer grn_mistyped'],
    ['a key without Bearer', 'grn_sandbox_full_access'],
    ['an empty key', 'Bearer '],
  ])('are rejected with 401: %s', async (_, authorization) => {
    const response = await unlimitedSandbox().fetch(
      list,
      authorization === undefined ? {} : { headers: { authorization } },
    );
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      code: 'UNAUTHORIZED',
      message: expect.any(String),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: new Date(noon).toISOString(),
    });
  });

  it('can read what their scopes allow', async () => {
    const sandbox = unlimitedSandbox();
    const ids = async (credential: 'api_key' | 'personal' | 'workspace') =>
      (await allNotes(createRequester(sandbox, credential))).map(({ id }) => id as string);
    const [all, personal, shared] = [await ids('api_key'), await ids('personal'), await ids('workspace')];
    expect(personal.length).toBeGreaterThan(0);
    expect(personal.length).toBeLessThan(all.length / 2);
    expect(shared.length).toBeLessThan(all.length);
    expect(all).toEqual(expect.arrayContaining([...personal, ...shared]));
    const hidden = all.find((id) => !shared.includes(id));
    expect((await createRequester(sandbox, 'workspace')(`/v1/notes/${hidden}`)).status).toBe(404);
  });

  it('with limited access get pages with few or no rows before the last page', async () => {
    const pages = await allPages(createRequester(unlimitedSandbox(), 'personal'), '/v1/notes', { page_size: 3 });
    const [, ...before] = pages.map((page) => page.notes.length).reverse();
    expect(before).toContain(0);
  });

  it('show private notes only to their owner', async () => {
    const sandbox = unlimitedSandbox();
    for (const [credential, owner] of [
      ['api_key', 'ines.carvalho@fernhill.example'],
      ['workspace', undefined],
    ] as const) {
      const notes = (await fullNotes(createRequester(sandbox, credential))).map(({ body }) => body);
      const written = notes.filter((note) => note.private_notes_markdown !== null);
      expect(new Set(written.map((note) => note.owner.email))).toEqual(new Set(owner ? [owner] : []));
    }
  });

  it('respond with 403 if their scopes are disabled or the plan has lapsed', async () => {
    const lapsed = await createRequester(unlimitedSandbox(), 'inactive')('/v1/notes');
    expect(lapsed).toMatchObject({ status: 403, body: { code: 'SUBSCRIPTION_INACTIVE' } });
    expect(await createRequester(unlimitedSandbox(), 'no_scope')('/v1/notes')).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
  });

  it('are read-only', async () => {
    const sandbox = unlimitedSandbox();
    const { api_key } = sandbox.vendors.granola.credentials.api_key;
    const headers = { authorization: `Bearer ${api_key}` };
    const response = await sandbox.fetch(list, { method: 'POST', headers, body: '{}' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
  });
});

describe('limits', () => {
  const filled = async (requests: number, limits = {}) => {
    const sandbox = createSandbox({ now: () => noon });
    sandbox.vendors.granola.limits = limits;
    const ask = createRequester(sandbox);
    const statuses: number[] = [];
    for (let turn = 0; turn < requests; turn += 1) statuses.push((await ask('/v1/notes', { page_size: 1 })).status);
    return { sandbox, ask, statuses };
  };

  it('allow 25 requests per five seconds, without a Retry-After header', async () => {
    const { sandbox, ask, statuses } = await filled(25);
    expect(statuses).toEqual(Array(25).fill(200));
    const refused = await ask('/v1/notes');
    expect(refused).toMatchObject({ status: 429, body: { message: 'Rate limit exceeded' } });
    expect([...refused.headers.keys()].sort()).toEqual(['content-type', 'date']);
    sandbox.clock.advance(5_000);
    expect((await ask('/v1/notes')).status).toBe(200);
  });

  it('allow 300 requests per minute', async () => {
    const { sandbox, ask, statuses } = await filled(301, { requestsPerFiveSeconds: 1_000 });
    expect(statuses).toEqual([...Array(300).fill(200), 429]);
    sandbox.clock.advance(59_000);
    expect((await ask('/v1/notes')).status).toBe(429);
    sandbox.clock.advance(1_000);
    expect((await ask('/v1/notes')).status).toBe(200);
  });

  it("count each key's owner separately", async () => {
    const { sandbox, statuses } = await filled(3, { requestsPerFiveSeconds: 2 });
    expect(statuses).toEqual([200, 200, 429]);
    expect((await createRequester(sandbox, 'workspace')('/v1/notes')).status).toBe(200);
  });
});
