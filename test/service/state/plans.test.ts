import { expect, it } from 'vitest';
import { newKey } from '../keys.js';
import { createTenant, describeOnBothEngines, newFolder, newState, noon, rotateKeys } from './fixtures.js';

const content = {
  params: { id: 'ENG-1' },
  plan: {
    connector: 'linear',
    entity: 'issues',
    action: 'update',
    id: 'x',
    digest: '',
    request: { method: 'POST', url: 'https://api.linear.app/graphql', body: null },
  },
  intent: null,
  reason: null,
};

/** A state with a connector, and a function that creates plans for it. */
async function setting() {
  const clock = { time: noon };
  const folder = newFolder();
  const keys = [newKey()];
  const state = await newState({ folder, keys, now: () => clock.time });
  const { scope, connect } = await createTenant(state);
  const row = await connect();
  const create = (id: string) =>
    state.plans.create(row, {
      id,
      entity: 'issues',
      action: 'update',
      effect: 'write',
      content,
      lifetimeMs: 60_000,
      requestedBy: 'cli_1',
      requestedVia: 'http',
      paramsDigest: 'digest',
    });
  const key = (id: string) => ({ id, organizationId: row.organizationId });
  const statusOf = async (id: string) => (await state.plans.get(scope, id))?.status;
  return { clock, folder, keys, state, scope, row, create, key, statusOf };
}

describeOnBothEngines(() => {
  it('a plan starts out pending, can be approved or refused only once and claimed only once, and can be released', async () => {
    const { state, create, key, statusOf } = await setting();
    const { plans } = state;
    expect(await create('pln_1')).toMatchObject({ status: 'pending', requestedAt: noon, expiresAt: noon + 60_000 });
    expect(await plans.decide(key('pln_1'), 'approved', 'cli_2', 'why not')).toBe(true);
    expect(await plans.decide(key('pln_1'), 'approved', 'cli_3', null)).toBe(false);
    expect(await plans.content(key('pln_1'))).toEqual({ ...content, reason: 'why not' });
    expect([await plans.claim(key('pln_1'), false), await plans.claim(key('pln_1'), false)]).toEqual([true, false]);
    expect([await plans.claim(key('pln_1'), true), await statusOf('pln_1')]).toEqual([true, 'executed']);
    expect(await plans.decide(key('pln_1'), 'refused', 'cli_2', null)).toBe(false);
    await plans.release(key('pln_1'));
    expect(await statusOf('pln_1')).toBe('approved');
    await create('pln_2');
    await plans.claim(key('pln_2'), false);
    await plans.release(key('pln_2'));
    expect(await statusOf('pln_2')).toBe('pending');
    expect(await plans.decide(key('pln_2'), 'refused', 'cli_2', null)).toBe(true);
    expect([await plans.claim(key('pln_2'), true), await statusOf('pln_2')]).toEqual([false, 'refused']);
  });

  it('a plan ends when it expires or when its connector is deleted or gets new credentials, and is removed after a week', async () => {
    const { clock, state, scope, row, create, key, statusOf } = await setting();
    const { plans } = state;
    await create('pln_1');
    clock.time += 60_000;
    expect([await plans.claim(key('pln_1'), true), await statusOf('pln_1')]).toEqual([false, 'expired']);
    clock.time += 1;
    await create('pln_2');
    await state.connectors.update(scope, row.id, { name: 'Renamed' });
    expect(await statusOf('pln_2')).toBe('pending');
    await state.connectors.update(scope, row.id, { credentials: { api_key: 'lin_api_2' } });
    expect(await statusOf('pln_2')).toBe('expired');
    // Prepared with the earlier credentials.
    await expect(create('pln_3')).rejects.toThrow('has changed');
    clock.time += 7 * 24 * 3_600_000 - 1;
    await plans.sweep();
    expect((await plans.list(scope, { limit: 10 })).rows.map(({ id }) => id)).toEqual(['pln_2']);
    await state.connectors.delete(scope, row.id);
    expect((await plans.list(scope, { limit: 10 })).rows).toEqual([]);
  });

  it('plans are found by their request, and listed page by page', async () => {
    const { clock, state, scope, row, create } = await setting();
    for (const id of ['pln_1', 'pln_2', 'pln_3']) {
      await create(id);
      clock.time += 1;
    }
    const place = { organizationId: row.organizationId, connectorId: row.id };
    const request = { ...place, entity: 'issues', action: 'update', requestedBy: 'cli_1' };
    expect(await state.plans.findOpen({ ...request, paramsDigest: 'digest' })).toMatchObject({ id: 'pln_3' });
    expect(await state.plans.findOpen({ ...request, paramsDigest: 'other' })).toBeUndefined();
    expect(await state.plans.findOpen({ ...request, requestedBy: 'cli_2', paramsDigest: 'digest' })).toBeUndefined();
    const first = await state.plans.list(scope, { limit: 2, status: 'pending' });
    const second = await state.plans.list(scope, { limit: 2, status: 'pending', cursor: first.next! });
    expect([...first.rows, ...second.rows].map(({ id }) => id)).toEqual(['pln_3', 'pln_2', 'pln_1']);
    expect(second.next).toBeNull();
    expect((await state.plans.list({ organizationId: 'org_other' }, { limit: 2 })).rows).toEqual([]);
  });

  it('a plan is re-encrypted when keys are rotated, and can be decrypted only for its organization', async () => {
    const { folder, keys, state, create, key } = await setting();
    await create('pln_1');
    expect(await state.plans.content({ id: 'pln_1', organizationId: 'org_other' })).toBeUndefined();
    await state.close();
    const newest = newKey();
    // The plan and one credential field.
    expect(await rotateKeys(folder, [newest, ...keys], { renewDataKeys: true })).toMatchObject({ resealed: 2 });
    const reopened = await newState({ folder, keys: [newest], now: () => noon });
    expect(await reopened.plans.content(key('pln_1'))).toEqual(content);
  });

  it('after rolling a secret, the previous one is valid until the overlap ends', async () => {
    const { clock, state, scope } = await setting();
    const { client, secret } = await state.clients.create('program', [scope.organizationId]);
    const rolled = (await state.clients.rollSecret(client.id, 1000))!;
    expect(rolled.previousUntil).toBe(noon + 1000);
    const works = async (text: string) => (await state.clients.verify(client.id, text)) !== undefined;
    expect([await works(secret), await works(rolled.secret), await works('other')]).toEqual([true, true, false]);
    clock.time += 1000;
    expect([await works(secret), await works(rolled.secret)]).toEqual([false, true]);
    expect(await state.clients.rollSecret('cli_none', 0)).toBeUndefined();
  });
});
