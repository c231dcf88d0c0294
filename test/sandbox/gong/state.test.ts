import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { createRequester, listedCalls } from './requester.js';

const fresh = (seed = 1, scale = 0.3, now = noon) => {
  const sandbox = createSandbox({ seed, scale, now: () => now });
  sandbox.vendors.gong.limits = { requestsPerSecond: 1_000 };
  return sandbox;
};

describe('the state', () => {
  it('generates the same ids a week later and at a larger scale', async () => {
    const ids = async (sandbox: ReturnType<typeof fresh>) =>
      (await listedCalls(createRequester(sandbox))).map(({ id }) => id);
    const few = await ids(fresh());
    expect((await ids(fresh(1, 0.3, noon + 7 * 86_400_000))).toSorted()).toEqual(few.toSorted());
    expect(await ids(fresh(1, 2))).toEqual(expect.arrayContaining(few));
  });

  it('can be moved to another sandbox as plain JSON and is restored by reset', async () => {
    const first = createSandbox({ now: () => noon });
    const before = first.dump();
    first.vendors.gong.limits = { requestsPerSecond: 4, pageSize: 7 };
    const { oauth, basic } = first.vendors.gong.credentials;
    first.revoke(basic.access_key_secret);
    const query = `grant_type=refresh_token&refresh_token=${oauth.refresh_token}`;
    const exchange = (sandbox: typeof first) =>
      sandbox.fetch(`https://app.gong.io/oauth2/generate-customer-token?${query}`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${oauth.client_id}:${oauth.client_secret}`)}` },
      });
    expect((await exchange(first)).status).toBe(200);
    await createRequester(first, 'oauth_with_token')('/v2/calls');
    const second = fresh(9, 1);
    second.load(JSON.parse(JSON.stringify(first.dump())));
    expect(second.dump()).toEqual(first.dump());
    const [one, other] = [first, second].map((sandbox) => createRequester(sandbox, 'oauth_with_token'));
    for (let turn = 0; turn < 4; turn += 1) {
      const [a, b] = [await one!('/v2/calls'), await other!('/v2/calls')];
      expect([a.status, a.body]).toEqual([b.status, b.body]);
      expect(a.status).toBe(turn < 3 ? 200 : 429);
    }
    expect((await exchange(second)).status).toBe(400);
    expect((await createRequester(second)('/v2/users')).status).toBe(401);
    first.reset();
    expect(first.dump()).toEqual(before);
    expect((await exchange(first)).status).toBe(200);
  });

  it('is generated on first use', async () => {
    const make = () => createSandbox({ scale: 40, now: () => noon });
    const taken = (began: number) => performance.now() - began;
    const makings = Array.from({ length: 10 }, () => {
      const began = performance.now();
      make();
      return taken(began);
    });
    const sandbox = make();
    const asked = performance.now();
    expect((await createRequester(sandbox)('/v2/calls')).body.records.totalRecords).toBe(6_000);
    // The fastest run: load makes some runs slow, but none fast.
    expect(Math.min(...makings)).toBeLessThan(taken(asked) / 2);
  });
});
