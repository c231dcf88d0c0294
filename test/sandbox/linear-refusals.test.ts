import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { createRequester, noon } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const { credentials } = sandbox.vendors.linear;
const key = credentials.api_key.api_key;
const post = (body: string, headers: Record<string, string> = {}, path = '/graphql') =>
  sandbox.fetch(`https://api.linear.app${path}`, {
    method: 'POST',
    headers: { authorization: key, 'content-type': 'application/json', ...headers },
    body,
  });
const viewer = JSON.stringify({ query: '{ viewer { id } }' });

describe('credentials', () => {
  it('include a second key for the same user that survives the revocation of the first', async () => {
    const other = createSandbox();
    const { api_key, second_key } = other.vendors.linear.credentials;
    const asks = (requester: ReturnType<typeof createRequester>) => requester('{ viewer { id } }');
    const before = await asks(createRequester(other, api_key.api_key));
    other.revoke(api_key.api_key);
    expect((await asks(createRequester(other, api_key.api_key))).status).toBe(401);
    expect((await asks(createRequester(other, second_key.api_key))).data).toEqual(before.data);
  });

  it.each([
    ['no credential', ''],
    ['an unknown key', 'lin_api_of_somebody_else'],
    ['an OAuth token without Bearer', credentials.access_token.access_token],
    ['an unknown token', 'Bearer lin_oauth_unknown'],
  ])('%s responds with 401', async (_, authorization) => {
    const response = await post(viewer, { authorization });
    expect(response.status).toBe(401);
    const { errors } = (await response.json()) as any;
    expect(errors[0]).toMatchObject({
      message: 'Authentication required, not authenticated',
      extensions: { code: 'AUTHENTICATION_ERROR', type: 'authentication error' },
    });
  });

  it('a key sent as Bearer is rejected with 400 and a reason', async () => {
    const response = await post(viewer, { authorization: `Bearer ${key}` });
    expect(response.status).toBe(400);
    const { errors } = (await response.json()) as any;
    expect(errors[0].message).toMatch(/^It looks like you're trying to use an API key as a Bearer token/);
    expect(errors[0].extensions).toMatchObject({ code: 'INPUT_ERROR', type: 'invalid input' });
  });

  it('stop working when revoked, without affecting other keys', async () => {
    const own = createSandbox({ now: () => noon });
    own.revoke(key);
    expect((await createRequester(own)('{ viewer { id } }')).status).toBe(401);
    expect((await createRequester(own, credentials.read_only.api_key)('{ viewer { id } }')).status).toBe(200);
  });
});

describe('documents', () => {
  const ask = createRequester(sandbox);

  it.each([
    ['an unknown field', '{ viewer { shoeSize } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an unknown root field', '{ cats { id } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['broken syntax', '{ viewer { id }', 'GRAPHQL_PARSE_FAILED'],
  ])('with %s are rejected with 400', async (_, query, code) => {
    const answer = await ask(query);
    expect(answer.status).toBe(400);
    expect(answer.errors?.[0]?.extensions).toMatchObject({ code, type: 'graphql error' });
  });

  it('have their complexity calculated by the formula', async () => {
    const priced = async (query: string, variables = {}) => (await ask(query, variables)).headers.get('x-complexity');
    expect(await priced('{ viewer { id name email } }')).toBe('2');
    // 1 for the connection, 50 × (1 + 0.2) for its nodes, 1.1 for pageInfo.
    expect(await priced('{ issues { nodes { id title } pageInfo { hasNextPage } } }')).toBe('63');
    const sized = 'query($first: Int) { issues(first: $first) { nodes { id state { name } } } }';
    expect(await priced(sized, { first: 10 })).toBe('23');
    expect(await priced('query { issues(last: 3) { ...F } } fragment F on IssueConnection { nodes { id } }')).toBe('5');
    expect(await priced('query($n: Int = 10) { issues(first: $n) { nodes { id } } }')).toBe('12');
  });

  it('with a complexity above 10,000 are rejected with 400', async () => {
    const answer = await ask('{ issues(first: 250) { nodes { comments(first: 50) { nodes { id } } } } }');
    expect(answer.status).toBe(400);
    expect(answer.errors?.[0]?.message).toBe('Query too complex');
    expect(answer.errors?.[0]?.extensions.userPresentableMessage).toBe(
      'The query is too complex. Complexity: 14251. Maximum allowed complexity: 10000.',
    );
    expect(answer.errors?.[0]?.extensions.code).toBe('INPUT_ERROR');
  });

  it('can query only the schema without a credential', async () => {
    const asked = (query: string) => post(JSON.stringify({ query }), { authorization: '' });
    const response = await asked('{ __type(name: "Issue") { kind } }');
    expect(await response.json()).toEqual({ data: { __type: { kind: 'OBJECT' } } });
    expect((await asked('{ __typename viewer { id } }')).status).toBe(401);
  });
});

describe('requests', () => {
  it.each([
    ['a body that is not JSON', '{"query": '],
    ['a body without a query', '{}'],
    ['variables that are not an object', '{"query":"{ viewer { id } }","variables":[1]}'],
  ])('with %s are rejected with 400', async (_, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
  });

  it('require a JSON content type', async () => {
    expect((await post(viewer, { 'content-type': 'text/plain' })).status).toBe(400);
    expect((await post(viewer, { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200);
  });

  it('require POST and a known path', async () => {
    const headers = { authorization: key };
    const got = await sandbox.fetch('https://api.linear.app/graphql?query={viewer{id}}', { headers });
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await post(viewer, {}, '/rest/issues')).status).toBe(404);
  });
});
