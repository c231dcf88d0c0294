import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from 'agent-connectors-service';
import { expect, it, onTestFinished } from 'vitest';
import { owner, startBoundDrive } from '../access/setup.js';
import { connectorPath, createRequester, type Tenant, tenantOf } from '../http/setup.js';
import { newKey } from '../keys.js';
import { hitsOf, searchEntity, smallSandbox, waitForNewestJob } from '../replication/setup.js';
import { newFolder } from '../state/fixtures.js';
import { runToEnd } from './terminal.js';

const countOf = async ({ ask }: Pick<Tenant, 'ask'>, id: string): Promise<number> => {
  const { body } = await ask('GET', connectorPath(id, '/inspect'));
  return body.context_store_readiness.entities.find(({ entity }: { entity: string }) => entity === 'users')
    .entity_count;
};

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
  const onTerminal = (given: string[], input: string) =>
    runToEnd([...given, '--organization', 'Acme', '--data', folder], {
      environment: { AGENT_CONNECTORS_KEY: key },
      interactive: true,
      input,
    });
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

  const unconfirmed = await command('erase', ...about);
  expect([unconfirmed.code, unconfirmed.out]).toEqual([1, '']);
  const amounts = `To be erased: ${counts.records} records, 1 stored writes, 1 plans`;
  expect(unconfirmed.error).toMatch(
    new RegExp(`^${amounts}.*users of connector ${id}.*Nothing was erased.*--yes`, 's'),
  );
  for (const input of ['no\n', '\n', '']) {
    const declined = await onTerminal(['person', 'erase', ...about], input);
    expect([declined.code, declined.out]).toEqual([1, '']);
    expect(declined.error).toContain('Cancelled: nothing was erased.');
  }
  const erased = await command('erase', ...about, '--json', '--yes');
  expect([erased.error, JSON.parse(erased.out)]).toEqual(['', counts]);
  const again = await onTerminal(['person', 'erase', ...about], 'yes\n');
  expect(again.out).toContain('Erased: 0 records, 0 stored writes, 0 plans, 0 readers');
  expect(again.out).toContain('Backups and audit logs were not changed.');

  service = await createService({ ...options, replicate: false });
  try {
    const [ask, othersAsk] = [acme, other].map(({ token }) =>
      createRequester(service, { authorization: `Bearer ${token}` }),
    ) as [typeof acme.ask, typeof acme.ask];
    const left = hitsOf(await searchEntity({ ask }, id, 'users'));
    expect(left).toEqual(users.filter((user: object) => !JSON.stringify(user).includes(named)));
    expect(hitsOf(await searchEntity({ ask: othersAsk }, otherId, 'users'))).toEqual(users);
    // The count follows at once, not with the next sync.
    expect(await countOf({ ask }, id)).toBe(left.length);
    expect(await countOf({ ask: othersAsk }, otherId)).toBe(users.length);
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

it('what is stored while the question is open is erased too, beside any punctuation', { timeout: 60_000 }, async () => {
  const sandbox = smallSandbox();
  const [dataFolder, key] = [newFolder(), newKey()];
  const service = await createService({ dataFolder, key, fetch: sandbox.fetch, embedders: [], replicate: false });
  onTestFinished(() => service.close());
  const acme = await tenantOf(service, 'Acme');
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const comment = async (text: string) => {
    const json = { entity: 'comments', action: 'create', params: { issueId: 'ENG-1', body: text } };
    const headers = { 'idempotency-key': randomUUID() };
    expect((await acme.ask('POST', connectorPath(id, '/execute'), { json, headers })).status).toBe(200);
  };
  const others = [`a_${email}`, `a.-${email}`, `${email}.uk`, `${email}-b.com`, `${email}s`];
  const theirs = [`_${email}_`, `-${email}-`, `...${email}...`, `mailto:${email}`, `**${email}** —`];
  for (const text of others) await comment(text);
  async function* answer() {
    for (const text of theirs) await comment(text);
    yield 'yes\n';
  }
  const environment = { AGENT_CONNECTORS_KEY: key };
  const about = ['--about', email, '--data', dataFolder];
  const erased = await runToEnd(['person', 'erase', ...about], { environment, interactive: true, input: answer() });
  expect(erased.error).toContain('To be erased: 0 records, 0 stored writes');
  expect(erased.out).toContain(`Erased: 0 records, ${theirs.length} stored writes`);
  for (const text of others) {
    const { out } = await runToEnd(['person', 'export', '-', '--about', text, '--data', dataFolder], { environment });
    expect(out).toContain(text);
  }
});

it('nothing about a former reader stays in the change history', { timeout: 60_000 }, async () => {
  const [dataFolder, key] = [newFolder(), newKey()];
  const files: string[] = [];
  const drive = await startBoundDrive(
    async ({ file, root }) => void files.push(await file('Plan', 'text', root)),
    {},
    { dataFolder, key },
  );
  const send = (drive as unknown as { send: (...request: unknown[]) => Promise<unknown> }).send;
  const permission = await drive.share(files[0]!, { type: 'user', emailAddress: email });
  await drive.sync();
  await send('DELETE', `/files/${files[0]}/permissions/${permission.id}`, {}).catch(() => undefined);
  await drive.sync();
  const command = async (...given: string[]) => {
    const about = ['--about', email, '--data', dataFolder];
    const { code, out, error } = await runToEnd(['person', ...given, ...about], {
      environment: { AGENT_CONNECTORS_KEY: key },
    });
    expect([code, error]).toEqual([0, '']);
    return out;
  };
  const found = (await command('export', '-')).trim().split('\n');
  expect(found.map((line) => JSON.parse(line))).toEqual([
    { kind: 'readers', connector_id: drive.id, entity: 'files', readers: [`user:${email}`] },
  ]);
  expect(JSON.parse(await command('erase', '--yes', '--json'))).toMatchObject({ records: 0, readers: 1 });
  expect(await command('export', '-')).toBe('');
  await drive.service.close();
  const contents = readFileSync(join(dataFolder, 'records.db'), 'latin1');
  expect(contents).not.toContain(email);
  expect(contents).toContain(owner);
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
