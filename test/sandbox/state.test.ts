import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { createRequester, noon } from './requester.js';

const fresh = (seed = 1) => createSandbox({ seed, now: () => noon });
const list = '{ issues(first: 20) { nodes { id title createdAt } } }';
const create = 'mutation { commentCreate(input: { issueId: "ENG-1", body: "mine" }) { comment { id } } }';

describe('the data', () => {
  it('keeps its ids over time, with dates relative to the present', async () => {
    const later = createSandbox({ now: () => noon + 86_400_000 });
    const [then] = (await createRequester(fresh())(list)).data.issues.nodes;
    const [now] = (await createRequester(later)(list)).data.issues.nodes;
    expect(now.id).toBe(then.id);
    expect(Date.parse(now.createdAt) - Date.parse(then.createdAt)).toBe(86_400_000);
    const recent = createSandbox();
    const [newest] = (await createRequester(recent)(list)).data.issues.nodes;
    expect(Date.now() - Date.parse(newest.createdAt)).toBeLessThan(14 * 86_400_000);
  });
});

describe('the state', () => {
  it('is restored by reset', async () => {
    const sandbox = fresh();
    const before = sandbox.dump();
    await createRequester(sandbox)(create);
    sandbox.revoke(sandbox.vendors.linear.credentials.api_key.api_key);
    sandbox.faults.add({ kind: '500', count: 9 });
    sandbox.clock.advance(5000);
    sandbox.vendors.linear.limits = { requestsPerHour: 1 };
    expect(sandbox.dump()).not.toEqual(before);
    sandbox.reset();
    expect(sandbox.dump()).toEqual(before);
    expect(sandbox.requests).toHaveLength(0);
    expect(sandbox.clock.now()).toBe(noon);
    expect((await createRequester(sandbox)(list)).status).toBe(200);
  });

  it('can be moved to another sandbox as plain JSON', async () => {
    const first = fresh();
    await createRequester(first)(create);
    first.clock.advance(5000);
    const second = fresh(9);
    second.load(JSON.parse(JSON.stringify(first.dump())));
    expect(second.dump()).toEqual(first.dump());
    const [a, b] = await Promise.all([createRequester(first)(create), createRequester(second)(create)]);
    expect(b.data).toEqual(a.data);
    expect((await createRequester(second)(list)).data).toEqual((await createRequester(first)(list)).data);
  });

  it('can only be loaded from a dump', () => {
    expect(() => fresh().load({})).toThrow(/load\(\) needs the result of dump\(\)/);
  });

  it('belongs to a single sandbox', async () => {
    const [one, other] = [fresh(), fresh()];
    await createRequester(one)(create);
    expect(other.dump()).toEqual(fresh().dump());
  });
});

describe('recorded requests', () => {
  it('contain the request, response and fault', async () => {
    const sandbox = fresh();
    await createRequester(sandbox)('query($n: Int) { issues(first: $n) { nodes { id } } }', { n: 2 });
    sandbox.faults.add({ kind: 'reset_before' });
    await createRequester(sandbox)(create).catch(() => {});
    expect(sandbox.requests).toMatchObject([
      {
        vendor: 'linear',
        method: 'POST',
        path: '/graphql',
        credential: 'api_key',
        headers: { authorization: '<api_key>', 'content-type': 'application/json' },
        body: { variables: { n: 2 } },
        rootField: 'issues',
        status: 200,
        time: noon,
      },
      { rootField: 'commentCreate', status: 0, fault: 'reset_before' },
    ]);
    sandbox.requests.clear();
    expect(sandbox.requests).toHaveLength(0);
  });

  it('never contain a secret', async () => {
    const sandbox = fresh();
    const { credentials } = sandbox.vendors.linear;
    await createRequester(sandbox, `Bearer ${credentials.access_token.access_token}`)('{ viewer { id } }');
    await createRequester(sandbox, `Bearer ${credentials.api_key.api_key}`)('{ viewer { id } }');
    await createRequester(sandbox, 'lin_api_mistyped')('{ viewer { id } }');
    await sandbox.fetch(`https://api.linear.app/oauth/token?access_token=${credentials.oauth.refresh_token}`, {
      method: 'POST',
      headers: { cookie: 'session=secret-cookie' },
      body: new URLSearchParams({ grant_type: 'refresh_token', ...credentials.oauth }),
    });
    const recorded = JSON.stringify(sandbox.requests);
    const { client_secret, refresh_token } = credentials.oauth;
    const secrets = [client_secret, refresh_token, credentials.access_token.access_token, credentials.api_key.api_key];
    for (const secret of [...secrets, 'lin_api_mistyped', 'secret-cookie']) expect(recorded).not.toContain(secret);
    expect(sandbox.requests.map((request) => request.credential)).toEqual([
      'access_token',
      'api_key',
      'unknown',
      'none',
    ]);
    expect(sandbox.requests[3]?.body).toMatchObject({ grant_type: 'refresh_token', client_secret: '<secret>' });
  });
});
