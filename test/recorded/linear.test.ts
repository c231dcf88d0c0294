import { readdirSync, readFileSync } from 'node:fs';
import { ConnectorError } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { expect, test } from 'vitest';
import { warmUpAndFreezeTime } from '../engine/time.js';

const folder = new URL('linear/', import.meta.url);

interface Recorded {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

const read = (name: string): Recorded => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')).replies[0];

/** A connector whose vendor always returns this response. */
function connectorTo(name: string, options: object = {}) {
  const { status, headers, body } = read(name);
  const sent: string[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent.push(String(init?.body));
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
  };
  const linear = new LinearConnector({ credentials: { api_key: `lin_api_${name}` }, fetch, retries: 0, ...options });
  return { linear, sent };
}

const write = (linear: LinearConnector) => linear.issues.create({ teamId: 't', title: 'T' });

const refusals: Record<
  string,
  { readonly code: string; readonly hint?: RegExp; readonly message?: RegExp; readonly more?: object }
> = {
  unauthenticated: { code: 'unauthorized', hint: /API key/ },
  'usage-limit': { code: 'quota_exhausted', hint: /activeIssueCount/, message: /free issue limit/ },
  'comment-quota': { code: 'quota_exhausted', hint: /max-comments-per-issue/, message: /2000 comments/ },
  'rate-limit-200': { code: 'rate_limited', more: { retryable: true } },
  'rate-limit-400': { code: 'rate_limited', more: { retryable: true, retryAfterMs: 1_440 } },
  'id-taken': { code: 'conflict', message: /already exists/ },
  'too-complex': { code: 'too_large', hint: /smaller `first`/, message: /12011/ },
  'not-found': { code: 'not_found', hint: /restricted to certain teams/ },
  'invalid-argument': {
    code: 'invalid_params',
    more: { issues: [{ path: 'stateId', message: 'stateId must be a UUID.' }] },
  },
  discrepancy: { code: 'invalid_params', message: /Discrepancy/ },
  'missing-scope': { code: 'scope_missing', hint: /scopes/ },
};

test.each(Object.entries(refusals))('%s is parsed', async (name, { code, hint, message, more = {} }) => {
  await warmUpAndFreezeTime();
  for (const call of [write, (linear: LinearConnector) => linear.issues.list()]) {
    const { linear, sent } = connectorTo(name);
    const error = await call(linear).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!ConnectorError.is(error)) throw error ?? new Error('It succeeded.');
    expect(error).toMatchObject({ code, status: read(name).status, ...more });
    if (code !== 'rate_limited') expect(error.retryable).toBe(false);
    if (hint) expect(error.hint).toMatch(hint);
    if (message) expect(error.message).toMatch(message);
    // A write rejected by Linear had no effect, so nothing needs to be looked up.
    expect(sent).toHaveLength(1);
  }
});

test('upstream is parsed: a read fails, a write has an unknown outcome', async () => {
  const { linear } = connectorTo('upstream');
  await expect(linear.issues.list()).rejects.toMatchObject({ code: 'vendor_error', status: 503, retryable: true });
  await expect(write(linear)).rejects.toMatchObject({ code: 'unknown_outcome' });
});

test('drained-but-served is parsed: the next call waits for one token, not for an hour', async () => {
  const seen: unknown[] = [];
  const { linear } = connectorTo('drained-but-served', {
    hooks: { onResponse: ({ budgets }: { budgets?: unknown }) => seen.push(budgets) },
  });
  await linear.users.list({}, { timeoutMs: 1_000 }).catch(() => {});
  expect(seen[0]).toMatchObject([
    { name: 'requests', remaining: 0, limit: 2_500, refillMs: 3_600_000 },
    { name: 'complexity', cost: 1 },
  ]);
  const error = await linear.users.list({}, { timeoutMs: 1_000 }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'rate_limited' });
  expect((error as ConnectorError).retryAfterMs).toBeLessThanOrEqual(1_440);
});

test('created-issue and issue-page are parsed, with missing fields as null', async () => {
  const { issue } = (await write(connectorTo('created-issue').linear)).data;
  expect(issue).toMatchObject({ identifier: 'OPS-7', assignee: null, labels: [], estimate: null, dueDate: null });
  const { data, meta } = await connectorTo('issue-page').linear.issues.list();
  expect(data[0]).toMatchObject({ identifier: 'APP-1', priority: 2, labels: [{ name: 'runner' }], project: null });
  expect(meta).toEqual({ hasNextPage: true, endCursor: data[0]!.id });
});

test('every recorded response is used by a test, and its source is documented', () => {
  const readHere = [...Object.keys(refusals), 'upstream', 'drained-but-served', 'created-issue', 'issue-page'];
  const names = readdirSync(folder).map((file) => file.replace('.json', ''));
  expect(names.sort()).toEqual(readHere.sort());
  const sources = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  for (const name of names) expect(sources, name).toContain(`\`${name}\``);
});
