import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { allNotes, createRequester, unlimitedSandbox } from './requester.js';

const fresh = (seed = 1, scale = 0.3) => createSandbox({ seed, scale, now: () => noon });

describe('the state', () => {
  it('keeps its ids over time, with dates relative to the present', async () => {
    const later = createSandbox({ scale: 0.3, now: () => noon + 86_400_000 });
    const [then] = await allNotes(createRequester(fresh()));
    const [now] = await allNotes(createRequester(later));
    expect(now.id).toBe(then.id);
    expect(Date.parse(now.created_at) - Date.parse(then.created_at)).toBe(86_400_000);
  });

  it('can be moved to another sandbox as plain JSON and is restored by reset', async () => {
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

  it('loses one key with revoke and none with expireTokens', async () => {
    const sandbox = unlimitedSandbox();
    sandbox.expireTokens();
    expect((await createRequester(sandbox)('/v1/notes')).status).toBe(200);
    sandbox.revoke(sandbox.vendors.granola.credentials.api_key.api_key);
    expect((await createRequester(sandbox)('/v1/notes')).status).toBe(401);
    expect((await createRequester(sandbox, 'workspace')('/v1/notes')).status).toBe(200);
  });
});
