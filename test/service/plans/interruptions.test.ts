import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newKey } from '../keys.js';
import { beginWrite, newFolder, newState, openTestDatabase } from '../state/fixtures.js';
import { startWithPlans } from './setup.js';

/** A plan to execute, in a folder that other processes can open. */
async function planned() {
  const dataFolder = newFolder();
  const key = newKey();
  const running = await startWithPlans({ dataFolder, key, dev: false });
  const plan: string = (await running.prepare()).body.id;
  return { ...running, dataFolder, key, plan };
}

test('a plan whose failure could not be recorded can be executed once the database is back', async () => {
  const { dataFolder, sandbox, agent, plan, carryOut, statusOf, made } = await planned();
  const database = await openTestDatabase(dataFolder);
  await sql`create trigger broken before update on plans when new.status = 'pending'
    begin select raise(abort, 'the database is broken'); end`.execute(database.query);
  sandbox.faults.add({ vendor: 'linear', kind: 'expired_token', count: 1 });
  expect((await carryOut(agent, plan)).status).toBe(424);
  expect(await statusOf(plan)).toBe('executed');
  await sql`drop trigger broken`.execute(database.query);
  await database.close();
  await expect.poll(() => statusOf(plan)).toBe('pending');
  expect((await carryOut(agent, plan)).status).toBe(200);
  expect([await statusOf(plan), await made()]).toEqual(['executed', 1]);
});

test('a plan whose process stopped after claiming it and before sending it is executed by the next request', async () => {
  const { dataFolder, key, clock, acme, id, agent, create, plan, carryOut, statusOf, made } = await planned();
  const other = await newState({ folder: dataFolder, keys: [key], now: () => clock.time });
  const { entity, action } = create;
  const write = { clientId: agent.id, connectorId: id, entity, action, key: `plan\n${plan}` };
  await beginWrite(other, write, plan);
  expect(await other.plans.claim({ id: plan, organizationId: acme.organizationId }, false)).toBe(true);
  expect([(await carryOut(agent, plan)).status, await statusOf(plan)]).toEqual([409, 'executed']);
  await other.close();
  expect((await carryOut(agent, plan)).status).toBe(200);
  expect([await statusOf(plan), await made()]).toEqual(['executed', 1]);
});
