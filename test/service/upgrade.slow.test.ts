import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { connectorPath, createRequester, execute, type Requester } from './http/setup.js';
import { syncAndWait, waitForNewestJob } from './replication/setup.js';
import { Browser, formWith } from './setup/browser.js';
import { jobCountsOf, type KeyedWrite, publicUrl, type RecordedCall } from './upgrade/facts.js';
import { type OpenedFixture, openFixture } from './upgrade/open-fixture.js';

const folder = new URL('../fixtures/', import.meta.url);
const fixtures = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? ['sqlite', 'postgres'].map((engine) => [entry.name, engine] as const) : [],
);

/** Repeats recorded requests and expects the same responses, except for additional fields. */
async function expectSame({ as }: OpenedFixture, asked: readonly RecordedCall[]): Promise<void> {
  const asks = new Map<string, Requester>();
  for (const { as: name, method, path, json, status, body } of asked) {
    const ask = asks.get(name) ?? (await as(name));
    asks.set(name, ask);
    const answer = await ask(method, path, { json });
    const where = `${name}: ${method} ${path} ${JSON.stringify(json)}`;
    expect(answer.status, where).toBe(status);
    expect(answer.body, where).toMatchObject(body);
  }
}

/** Waits until the texts of all connectors are indexed by the current rules. */
async function indexedAgain(ask: Requester): Promise<void> {
  const { body } = await ask('GET', '/api/v1/integrations/connectors');
  const ids: string[] = (body.data ?? []).map(({ id }: { id: string }) => id);
  for (const id of ids) {
    await expect
      .poll(async () => JSON.stringify((await ask('GET', connectorPath(id, '/inspect'))).body), { timeout: 60_000 })
      .not.toContain('not_indexed');
  }
}

const send = (ask: Requester, { connector, key, params }: KeyedWrite, title = params.title) =>
  execute({ ask }, connector, 'issues', 'create', { ...params, title }, { headers: { 'idempotency-key': key } });

test('there is a fixture of the baseline for both databases', () => {
  expect(fixtures).toEqual(
    expect.arrayContaining([
      ['0.1', 'sqlite'],
      ['0.1', 'postgres'],
    ]),
  );
});

describe.each(fixtures)('data stored by release %s in %s', (version, engine) => {
  const fixture = new URL(`${version}/${engine}/`, folder);

  test('is returned unchanged to the same callers, and reaches the vendors with the same credentials', async () => {
    const before = await openFixture(fixture);
    const { facts } = before;
    const service = await before.open();
    for (const name of new Set(facts.answers.map((one) => one.as))) await indexedAgain(await before.as(name));
    await expectSame(before, facts.answers);
    await expectSame(before, facts.calls);
    const { token, client_id } = facts.clients.acme!;
    const me = await createRequester(service, { authorization: `Bearer ${token}` })('GET', '/api/v1/account/me');
    expect([me.status, me.body.client_id]).toEqual([200, client_id]);
    const wrong = { client_id, client_secret: `${facts.clients.globex!.client_secret}` };
    const refused = await createRequester(service)('POST', '/api/v1/account/applications/token', { json: wrong });
    expect(refused.status).toBe(401);
    const ask = await before.as('acme');
    for (const { connector, entity, action } of facts.denied) {
      const denied = await execute({ ask }, connector, entity, action);
      expect([denied.status, denied.body.code]).toEqual([403, 'denied_by_policy']);
    }
  });

  test('has its calls counted from the upgrade on', async () => {
    const before = await openFixture(fixture);
    await before.open();
    const ask = await before.as('acme');
    expect((await ask('GET', '/api/v1/activity')).body.total).toMatchObject({ calls: 0, errors: 0, p50_ms: null });
    const calls = before.facts.calls.filter((call) => call.as === 'acme');
    await expectSame(before, calls);
    const { body } = await ask('GET', '/api/v1/activity');
    expect(calls.length).toBeGreaterThan(0);
    expect(body.total.calls).toBe(calls.length);
  });

  test('is found semantically, with its existing vectors', async () => {
    const before = await openFixture(fixture);
    await before.open();
    const ask = await before.as('acme');
    expect(before.facts.meant.length).toBeGreaterThan(5);
    for (const { path, json, first } of before.facts.meant) {
      const { body } = await ask('POST', path, { json });
      const { data, meta } = body.result ?? body;
      expect(data[0]?.entity, JSON.stringify(json)).toMatchObject(first);
      expect(meta.rankers ?? [meta.ranker], JSON.stringify(json)).toContain('hybrid');
    }
  });

  test('is found by other forms of its words, once its texts are indexed again', async () => {
    const before = await openFixture(fixture);
    await before.open();
    const ask = await before.as('acme');
    await indexedAgain(ask);
    const { connector } = before.facts.writes.answered;
    const search = async (filter: object) => {
      const query = { query: { filter }, fields: ['id', 'title'], limit: 50 };
      return (await execute({ ask }, connector, 'issues', 'context_store_search', query)).body.result;
    };
    const { data } = await search({});
    const [word] = data.flatMap(({ title }: { title: string }) => /\b[a-z]{6,}\b/.exec(title) ?? []);
    const wide = [...word].map((letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)).join('');
    const found = await search({ keyword: { title: wide } });
    expect(found.data.length).toBeGreaterThan(0);
    expect(found).toMatchObject({ data: (await search({ keyword: { title: word } })).data, meta: { complete: true } });
  });

  test('keeps the audit log, which continues without a break', async () => {
    const before = await openFixture(fixture);
    const { audit } = before.facts;
    const service = await before.open();
    for (const { organization_id, seq, digest } of audit) {
      const verdict = await service.state.audit.verify(organization_id, { seq, digest });
      expect(verdict).toMatchObject({ entries: seq, head: { seq, digest }, broken: null });
    }
    const [{ organization_id, seq, digest }] = audit as [(typeof audit)[number]];
    const ask = await before.as('acme');
    await execute({ ask }, before.facts.connectors.linear!, 'teams', 'list');
    const verdict = await service.state.audit.verify(organization_id, { seq, digest });
    expect([verdict.broken, verdict.entries > seq]).toEqual([null, true]);
    const { body } = await ask('GET', '/api/v1/audit?limit=1000');
    expect(body.data.find((entry: any) => entry.seq === seq + 1).previous).toBe(digest);
  });

  test('includes writes with a key: responses are replayed, and lost ones resolved', async () => {
    const before = await openFixture(fixture);
    const { answered, unknown } = before.facts.writes;
    await before.open();
    const ask = await before.as('acme');
    const replayed = await send(ask, answered);
    expect([replayed.status, replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([
      answered.status,
      answered.text,
      'true',
    ]);
    const other = await send(ask, answered, 'Another');
    expect([other.status, other.body.code]).toEqual([409, 'conflict']);
    expect(before.sandbox.requests).toHaveLength(0);
    // The vendor has no record with that id, so it is created now, with the recorded id.
    const done = await send(ask, unknown);
    expect([done.status, done.body.result?.issue.id]).toEqual([200, unknown.id]);
    expect((await send(ask, unknown)).headers.get('idempotent-replayed')).toBe('true');
  });

  test('lets users finish connecting an account or signing in', async () => {
    const before = await openFixture(fixture);
    const { setup, console } = before.facts;
    const service = await before.open();
    const browser = new Browser(async (input, init) => service.fetch(new Request(String(input), init)));
    const page = await browser.open(setup.url);
    const { api_key } = before.sandbox.vendors.linear.credentials.api_key;
    const picks = await browser.submit(formWith(page, /name="api_key"/), { api_key });
    if (picks.forms.length > 0) await browser.submit(formWith(picks, /value="picks"/));
    const ask = await before.as('acme');
    const { body } = await ask('GET', `/api/v1/integrations/connectors/setup/${setup.id}`);
    expect(body.status).toBe('done');
    const made = await ask('GET', connectorPath(body.connector_id));
    expect(made.body.replication_config).toMatchObject({ interval: setup.interval, entities: ['users'] });
    const signIn = await createRequester(service)('POST', '/console/session', {
      json: { link: console.link },
      headers: { 'x-console': '1', 'sec-fetch-site': 'same-origin', origin: publicUrl },
    });
    expect([signIn.status, signIn.body.client_id]).toEqual([200, before.facts.clients.acme!.client_id]);
  });

  test('continues to replicate: pending jobs run, and only new data is read', async () => {
    const before = await openFixture(fixture);
    const { again, connectors, writes } = before.facts;
    const linear = connectors.linear!;
    await before.open({ replicate: true });
    const ask = await before.as('acme');
    const waited = await waitForNewestJob({ ask }, linear);
    expect([waited.id, waited.status, waited.requested]).toEqual([before.facts.queued, 'done', 'request']);
    const [old] = again[linear]!.filter(({ entity }) => entity === 'issues');
    // The vendor has only its initial data here, so it lacks the issue that was written through the service.
    expect(jobCountsOf(waited)).toEqual([{ ...old, removed: 1 }]);
    // The texts of files are read again, to find out what became of each.
    const texts = await syncAndWait({ ask }, connectors['google-drive']!);
    expect(texts.counts).toMatchObject({ inserted: 0, removed: 0 });
    expect(texts.counts.updated).toBe(texts.counts.read);
    for (const id of Object.values(connectors)) {
      const job = await syncAndWait({ ask }, id);
      expect([job.status, ...job.entities.map(({ error }: any) => error).filter(Boolean)]).toEqual(['done']);
      // Sweeps read listed records again, which an earlier release did not; none of them has changed.
      const changes = (counts: readonly any[]) => counts.map(({ read, unchanged, ...rest }) => rest);
      expect(changes(jobCountsOf(job))).toEqual(changes(again[id]!));
    }

    const params = { teamId: writes.answered.params.teamId, title: 'Made after the upgrade' };
    const created = await execute({ ask }, linear, 'issues', 'create', params);
    expect(created.status).toBe(200);
    // The write itself has already stored it.
    const job = await syncAndWait({ ask }, linear, { entities: ['issues'] });
    expect(jobCountsOf(job)).toEqual([{ ...old, read: old!.read + 1, unchanged: old!.unchanged + 1 }]);
    const query = { filter: { eq: { id: created.body.result.issue.id } } };
    const search = await execute({ ask }, linear, 'issues', 'context_store_search', { query });
    expect(search.body.result.data).toHaveLength(1);
  });
});
