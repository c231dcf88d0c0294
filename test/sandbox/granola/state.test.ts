import { createSandbox } from 'agent-connectors-sandbox';
import { serve } from 'agent-connectors-sandbox/server';
import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { allNotes, createRequester, fullNotes, unlimitedSandbox } from './requester.js';

const fresh = (seed = 1, scale = 0.3) => createSandbox({ seed, scale, now: () => noon });

describe('the state', () => {
  it('is the same for the same seed and moment, and other for another seed', async () => {
    const all = async (seed: number) =>
      (await fullNotes(createRequester(fresh(seed)), { include: 'transcript' })).map(({ status, body }) => ({
        status,
        body,
      }));
    expect(await all(1)).toEqual(await all(1));
    expect(await allNotes(createRequester(fresh(2)))).not.toEqual(await allNotes(createRequester(fresh(1))));
  });

  it('keeps its ids when time goes by, and is told relative to the present', async () => {
    const later = createSandbox({ scale: 0.3, now: () => noon + 86_400_000 });
    const [then] = await allNotes(createRequester(fresh()));
    const [now] = await allNotes(createRequester(later));
    expect(now.id).toBe(then.id);
    expect(Date.parse(now.created_at) - Date.parse(then.created_at)).toBe(86_400_000);
  });

  it('moves to another sandbox as plain JSON, and goes back with reset', async () => {
    const first = fresh();
    const before = first.dump();
    first.vendors.granola.limits = { requestsPerFiveSeconds: 3 };
    first.revoke(first.vendors.granola.credentials.personal.api_key);
    await createRequester(first)('/v1/notes');
    await createRequester(first)('/v1/notes/wrong');
    const second = fresh(9, 1);
    second.load(JSON.parse(JSON.stringify(first.dump())));
    expect(second.dump()).toEqual(first.dump());
    const [a, b] = [await createRequester(first)('/v1/notes'), await createRequester(second)('/v1/notes')];
    expect([b.status, b.body]).toEqual([200, a.body]);
    const refused = [await createRequester(first)('/v1/notes'), await createRequester(second)('/v1/notes')];
    expect(refused.map(({ status }) => status)).toEqual([429, 429]);
    expect(refused[0]!.body).toEqual(refused[1]!.body);
    expect((await createRequester(second, 'personal')('/v1/notes')).status).toBe(401);
    first.reset();
    expect(first.dump()).toEqual(before);
    expect((await createRequester(first, 'personal')('/v1/notes')).status).toBe(200);
  });

  it('ends one key with revoke, and none with expireTokens', async () => {
    const sandbox = unlimitedSandbox();
    sandbox.expireTokens();
    expect((await createRequester(sandbox)('/v1/notes')).status).toBe(200);
    sandbox.revoke(sandbox.vendors.granola.credentials.api_key.api_key);
    expect((await createRequester(sandbox)('/v1/notes')).status).toBe(401);
    expect((await createRequester(sandbox, 'workspace')('/v1/notes')).status).toBe(200);
  });

  it('records requests by the key’s label and never by the key', async () => {
    const sandbox = unlimitedSandbox();
    await createRequester(sandbox, 'workspace')('/v1/notes', { page_size: 3 });
    await sandbox.fetch('https://public-api.granola.ai/v1/notes');
    await sandbox.fetch('https://public-api.granola.ai/v1/notes', { headers: { authorization: 'Bearer grn_other' } });
    expect(sandbox.requests).toMatchObject([
      {
        vendor: 'granola',
        method: 'GET',
        path: '/v1/notes',
        query: { page_size: '3' },
        headers: { authorization: 'Bearer <workspace>' },
        credential: 'workspace',
        body: null,
        status: 200,
        time: noon,
      },
      { credential: 'none', status: 401 },
      { credential: 'unknown', status: 401 },
    ]);
    expect(JSON.stringify(sandbox.requests)).not.toContain('grn_');
  });
});

describe('the server', () => {
  it('answers over a socket what it answers in-process, and takes limits', async () => {
    const server = await serve({ sandbox: fresh() });
    try {
      const { path, credentials } = server.sandbox.vendors.granola;
      const headers = { authorization: `Bearer ${credentials.api_key.api_key}` };
      const ask = () => fetch(`${server.url}${path}/v1/notes?page_size=4`, { headers });
      const inProcess = await createRequester(fresh())('/v1/notes', { page_size: 4 });
      expect(await (await ask()).json()).toEqual(inProcess.body);
      const limits = JSON.stringify({ granola: { requestsPerFiveSeconds: 1 } });
      await fetch(`${server.url}/_sandbox/limits`, { method: 'PUT', body: limits });
      expect((await ask()).status).toBe(429);
      const told = (await (await fetch(`${server.url}/_sandbox/`)).json()) as any;
      expect(told.vendors.granola).toMatchObject({ path: '/granola', credentials });
    } finally {
      await server.close();
    }
  });
});
