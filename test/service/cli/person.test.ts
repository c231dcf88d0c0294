import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from 'agent-connectors-service';
import { expect, it } from 'vitest';
import { connectorPath, createRequester, tenantOf } from '../http/setup.js';
import { newKey } from '../keys.js';
import { hitsOf, searchEntity, smallSandbox, waitForNewestJob } from '../replication/setup.js';
import { newFolder } from '../state/fixtures.js';
import { runToEnd } from './terminal.js';

const email = 'ada.lovelace@example.com';

it('what is stored about a person is exported and erased, and a repeated write is still not sent again', {
  timeout: 60_000,
}, async () => {
  const sandbox = smallSandbox();
  const [folder, key] = [newFolder(), newKey()];
  const options = { dataFolder: folder, key, fetch: sandbox.fetch, embedders: [] };
  let service = await createService(options);
  const [acme, other] = [await tenantOf(service, 'Acme'), await tenantOf(service, 'Other')];
  const connectTo = (tenant: typeof acme) => tenant.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const [id, otherId] = [await connectTo(acme), await connectTo(other)];
  await Promise.all([waitForNewestJob(acme, id), waitForNewestJob(other, otherId)]);
  const users = hitsOf(await searchEntity(acme, id, 'users'));
  const named: string = users[0].email;
  const comment = { entity: 'comments', action: 'create', params: { issueId: 'ENG-1', body: `Ask <${email}>.` } };
  const send = (ask: typeof acme.ask) =>
    ask('POST', connectorPath(id, '/execute'), { json: comment, headers: { 'idempotency-key': 'one' } });
  expect((await send(acme.ask)).status).toBe(200);
  const plan = (await acme.ask('POST', connectorPath(id, '/execute/prepare'), { json: comment })).body;
  await service.close();

  const ofAcme = (...given: string[]) =>
    runToEnd([...given, '--organization', 'Acme', '--data', folder], { environment: { AGENT_CONNECTORS_KEY: key } });
  const command = (...given: string[]) => ofAcme('person', ...given);
  const client = JSON.parse((await ofAcme('create-client', '--name', 'ada', '--as-user', email, '--json')).out);
  const file = join(newFolder(), 'person.jsonl');
  const about = ['--about', email.toUpperCase(), '--about', named];
  const exported = await command('export', file, ...about, '--json');
  expect([exported.code, exported.error]).toEqual([0, '']);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const kinds = lines.map((line) => JSON.parse(line).kind);
  const counts = JSON.parse(exported.out);
  expect(counts).toMatchObject({ writes: 1, plans: 1, clients: [client.client_id] });
  expect(counts.records).toBeGreaterThan(0);
  expect(kinds.filter((kind) => kind === 'record')).toHaveLength(counts.records);
  expect(lines.every((line) => [email, named].some((text) => line.includes(text)))).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // Not a part of another address.
  const part = JSON.parse((await command('export', join(newFolder(), 'a'), '--about', email.slice(1), '--json')).out);
  expect(part).toMatchObject({ records: 0, writes: 0, plans: 0, clients: [] });

  const erased = await command('erase', ...about, '--json');
  expect(JSON.parse(erased.out)).toEqual(counts);
  const again = await command('erase', ...about);
  expect(again.out).toContain('Erased: 0 records, 0 stored writes, 0 plans.');
  expect(again.out).toContain('Backups and audit logs were not changed.');

  service = await createService({ ...options, replicate: false });
  try {
    const [ask, othersAsk] = [acme, other].map(({ token }) =>
      createRequester(service, { authorization: `Bearer ${token}` }),
    ) as [typeof acme.ask, typeof acme.ask];
    const left = hitsOf(await searchEntity({ ask }, id, 'users'));
    expect(left).toEqual(users.filter((user: object) => !JSON.stringify(user).includes(named)));
    expect(hitsOf(await searchEntity({ ask: othersAsk }, otherId, 'users'))).toEqual(users);
    const sent = sandbox.requests.length;
    const repeated = await send(ask);
    expect([repeated.status, repeated.body.message]).toEqual([410, expect.stringContaining('has been erased')]);
    expect(sandbox.requests.length).toBe(sent);
    expect((await ask('GET', `/api/v1/plans/${plan.id}`)).status).toBe(404);
    const events = (await ask('GET', '/api/v1/audit')).body.data.map(({ event }: { event: string }) => event);
    expect(events.filter((event: string) => event === 'person.erased')).toHaveLength(2);
  } finally {
    await service.close();
  }
});

it.each([
  [['export'], 'Pass export <file or ->, or erase'],
  [['erase', 'file'], 'Pass export <file or ->, or erase'],
  [['erase'], 'person erase needs --about'],
])('person %s explains what is missing', async (given, message) => {
  const { code, error } = await runToEnd(['person', ...given, '--data', newFolder()]);
  expect([code, error]).toEqual([1, expect.stringContaining(message)]);
});

it.each(['', ' ', 'a', '_', '.*'])('%j identifies nobody, and nothing is searched', async (about) => {
  const given = ['person', 'erase', '--about', about, '--data', newFolder()];
  const { code, error } = await runToEnd(given, { environment: { AGENT_CONNECTORS_KEY: newKey() } });
  expect(code).not.toBe(0);
  expect(error).toContain('--about');
});
