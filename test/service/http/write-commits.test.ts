import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { newKey } from '../keys.js';
import { newFolder, openTestDatabase } from '../state/fixtures.js';
import { execute, startTestService, type Tenant, type TestService } from './setup.js';

let running: TestService;
let acme: Tenant;
let linear: string;
let teamId: string;
let dataFolder: string;

beforeEach(async () => {
  skipBackoff();
  dataFolder = newFolder();
  running = await startTestService({ dataFolder, dev: false, key: newKey() });
  acme = await running.tenant();
  linear = await acme.connect('linear', running.sandbox.vendors.linear.credentials.api_key);
  teamId = (await execute(acme, linear, 'teams', 'list')).body.result[0].id;
});

const create = (key: string, title: string, connector = linear) =>
  execute(acme, connector, 'issues', 'create', { teamId, title }, { headers: { 'idempotency-key': key } });

const titles = async (): Promise<string[]> =>
  (await execute(acme, linear, 'issues', 'list', { first: 100 })).body.result.map(
    ({ title }: { title: string }) => title,
  );

/** Runs a statement through a connection of its own. */
async function change(statement: string): Promise<void> {
  const database = await openTestDatabase(dataFolder);
  await sql.raw(statement).execute(database.query);
  await database.close();
}

const ledgerRows = async () => {
  const database = await openTestDatabase(dataFolder);
  onTestFinished(() => database.close());
  return database.query.selectFrom('ledger').select(['done', 'attempt']).execute();
};

const writesInLog = async () => {
  const { audit } = running.service.state;
  const entries = await audit.list({ organizationId: acme.organizationId, limit: 200 });
  return entries.filter(({ effect }) => effect === 'write').reverse();
};

test('concurrent writes are each executed once, and each has its entries in an unbroken log', async () => {
  const numbers = Array.from({ length: 20 }, (_, number) => number);
  const twice = numbers.flatMap((number) => [number, number]);
  const answers = await Promise.all(twice.map((number) => create(`k${number}`, `Made ${number}`)));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...numbers.map(() => 200), ...numbers.map(() => 409)]);
  expect((await titles()).filter((title) => title.startsWith('Made ')).sort()).toEqual(
    numbers.map((number) => `Made ${number}`).sort(),
  );
  const entries = await writesInLog();
  const begun = entries.filter(({ outcome }) => outcome === 'begun');
  const done = entries.filter(({ outcome }) => outcome === 'success');
  expect([entries.length, begun.length, done.length]).toEqual([40, 20, 20]);
  expect(done.map(({ begun_as }) => begun_as).sort()).toEqual(begun.map(({ seq }) => seq).sort());
  expect(await running.service.state.audit.verify(acme.organizationId)).toMatchObject({ broken: null });
  const again = await Promise.all(numbers.map((number) => create(`k${number}`, `Made ${number}`)));
  expect(again.every(({ headers }) => headers.get('idempotent-replayed') === 'true')).toBe(true);
  expect(await ledgerRows()).toHaveLength(20);
});

test('a write that fails before it is sent leaves both entries in the log and nothing in the ledger', async () => {
  expect((await create('k', '')).status).toBe(422);
  expect(await ledgerRows()).toEqual([]);
  const [begun, rejected] = await writesInLog();
  expect([begun!.outcome, rejected!.outcome]).toEqual(['begun', 'invalid_params']);
  expect(rejected!.begun_as).toBe(begun!.seq);
  expect((await create('k', 'Valid')).status).toBe(200);
});

test('a write whose start cannot be stored is not sent, and those stored at the same time are', async () => {
  const other = await acme.connect('linear', running.sandbox.vendors.linear.credentials.api_key, { name: 'other' });
  await change(`create trigger broken before insert on ledger when new.connector_id = '${other}'
    begin select raise(abort, 'broken'); end`);
  const answers = await Promise.all([create('a', 'A'), create('b', 'B', other), create('c', 'C')]);
  expect(answers.map(({ status }) => status)).toEqual([200, 503, 200]);
  expect(answers[1]!.body).toMatchObject({
    message: 'The write could not be recorded, so nothing was sent.',
    retryable: true,
  });
  expect((await titles()).filter((title) => title.length === 1).sort()).toEqual(['A', 'C']);
  await change('drop trigger broken');
  expect((await create('b', 'B', other)).status).toBe(200);
  expect((await titles()).filter((title) => title === 'B')).toHaveLength(1);
});

test('a write whose outcome cannot be stored is answered, recorded once that works, and not repeated', async () => {
  const other = await acme.connect('linear', running.sandbox.vendors.linear.credentials.api_key, { name: 'other' });
  await change(`create trigger broken before update on ledger when new.connector_id = '${other}' and new.done = 1
    begin select raise(abort, 'broken'); end`);
  const answers = await Promise.all([create('a', 'A'), create('b', 'B', other), create('c', 'C')]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await ledgerRows()).map(({ done }) => done).sort()).toEqual([0, 1, 1]);
  await change('drop trigger broken');
  await expect.poll(async () => (await ledgerRows()).every(({ done }) => done === 1)).toBe(true);
  const again = await create('b', 'B', other);
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([answers[1]!.text, 'true']);
  expect((await writesInLog()).map(({ outcome }) => outcome).sort()).toEqual([
    'begun',
    'begun',
    'begun',
    'success',
    'success',
    'success',
  ]);
  expect(await running.service.state.audit.verify(acme.organizationId)).toMatchObject({ broken: null });
  expect((await titles()).filter((title) => title === 'B')).toHaveLength(1);
});
