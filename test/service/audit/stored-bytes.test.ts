import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { execute, startTestService } from '../http/setup.js';

const unknown = 'x'.repeat(190);

test('unknown names are stored as digests', async () => {
  const { tenant, service } = await startTestService();
  const acme = await tenant();
  const id = await acme.connect('linear');
  await execute(acme, id, unknown, unknown);
  await execute(acme, id, 'issues', 'nonsense', {}, {});
  const { organizationId } = acme;
  const entries = await service.state.audit.list({ organizationId, limit: 10 });
  const calls = entries.filter(({ event }) => event === 'execute');
  expect(JSON.stringify(entries)).not.toContain(unknown);
  expect(calls.map(({ entity, action, outcome }) => [entity, action, outcome])).toEqual([
    ['issues', expect.stringMatching(/^sha256:[\w-]{22}$/), 'unknown_action'],
    [expect.stringMatching(/^sha256:/), expect.stringMatching(/^sha256:/), 'unknown_entity'],
  ]);
});

test('refused calls of a client share one entry per cause, which is part of the chain', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'stored-bytes-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const options = { dataFolder, dev: false, createKey: true } as const;
  const first = await startTestService(options);
  const acme = await first.tenant();
  const id = await acme.connect('linear');
  for (let count = 0; count < 20; count++) {
    await execute(acme, id, `${unknown}${count}`, 'list');
    await execute(acme, id, 'issues', 'list', { first: `${count}` });
  }
  await first.service.close();
  const { service } = await startTestService(options);
  const { organizationId, clientId } = acme;
  const entries = await service.state.audit.list({ organizationId, limit: 100 });
  const counted = entries.filter(({ event }) => event === 'execute.refused');
  expect(counted.map(({ outcome, intent, client_id }) => [outcome, intent, client_id]).sort()).toEqual([
    ['invalid_params', '19 more calls', clientId],
    ['unknown_entity', '19 more calls', clientId],
  ]);
  expect(entries.filter(({ event }) => event === 'execute')).toHaveLength(2);
  expect((await service.state.audit.verify(organizationId)).broken).toBeNull();
});

test('a client that has stored too much is rejected, and a tenth is kept for administrators', async () => {
  // A day's bytes, of which a third can be stored at once: 21 entries of a client, 67 of the organization. Each client
  // has one for its token, and the organization one for its connector.
  const limits = { storedBytesPerDay: 63 * 1024, storedBytesPerDayOfOrganization: 201 * 1024 };
  const { tenant, service } = await startTestService({ limits, now: () => 1_800_000_000_000 });
  const acme = await tenant('Acme');
  const id = await acme.connect('linear');
  const { organizationId } = acme;
  const clientWith = async (scopes: readonly ('read' | 'write' | 'admin')[]) => {
    const { client, secret } = await service.state.clients.create(scopes.join(), [organizationId], scopes);
    const body = JSON.stringify({ client_id: client.id, client_secret: secret });
    const headers = { 'content-type': 'application/json' };
    const url = 'http://service.test/api/v1/account/applications/token';
    const { access_token } = await (await service.fetch(new Request(url, { method: 'POST', body, headers }))).json();
    return async (intent?: string) => {
      const call = { entity: 'teams', action: 'nonsense', params: {}, intent };
      const request = new Request(`http://service.test/api/v1/integrations/connectors/${id}/execute`, {
        method: 'POST',
        body: JSON.stringify(call),
        headers: { ...headers, authorization: `Bearer ${access_token}` },
      });
      const response = await service.fetch(request);
      return { status: response.status, body: await response.json() };
    };
  };
  const statusesOf = async (call: () => Promise<{ readonly status: number }>, count: number) => {
    const statuses: number[] = [];
    for (let at = 0; at < count; at++) statuses.push((await call()).status);
    return statuses;
  };
  const [wordy, first, second, third, admin] = [
    await clientWith(['read']),
    await clientWith(['read']),
    await clientWith(['read']),
    await clientWith(['read']),
    await clientWith(['read', 'admin']),
  ];
  // Each of these entries counts four times, because its intent takes 1,536 bytes.
  const intent = '請'.repeat(512);
  expect(await statusesOf(() => wordy(intent), 6)).toEqual([...Array(5).fill(422), 429]);
  expect(await statusesOf(first, 21)).toEqual([...Array(20).fill(422), 429]);
  expect((await first()).body.message).toContain('This client has stored as much as it may');
  // 13 more are within nine tenths.
  expect((await statusesOf(second, 15)).at(-1)).toBe(429);
  const { message, hint } = (await third()).body;
  expect(message).toContain('This organization has stored');
  expect(hint).toContain('raise storedBytesPerDayOfOrganization with');
  expect((await admin()).status).toBe(422);
  expect((await acme.ask('GET', '/api/v1/audit')).status).toBe(200);
});

test('writes stop before the disk is full, and reads do not', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'full-disk-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const limits = { minFreeBytes: Number.MAX_SAFE_INTEGER };
  const { tenant, sandbox } = await startTestService({ dataFolder, dev: false, createKey: true, limits });
  const acme = await tenant();
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const read = await execute(acme, id, 'teams', 'list');
  expect(read.status).toBe(200);
  const write = await execute(acme, id, 'issues', 'create', { teamId: read.body.result[0].id, title: 'A' });
  expect([write.status, write.body.retryable]).toEqual([503, true]);
  expect(write.body.message).toContain('disk is almost full');
});

test('prepared plans count as stored bytes, even after they have been refused', async () => {
  const limits = { storedBytesPerDay: 900 * 1024 };
  const { tenant, sandbox } = await startTestService({ limits, now: () => 1_800_000_000_000 });
  const acme = await tenant();
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const statuses: number[] = [];
  for (let count = 0; count < 5; count++) {
    const params = { issueId: 'ENG-1', body: `${count}`.repeat(50_000) };
    const { status, body } = await acme.ask('POST', `/api/v1/integrations/connectors/${id}/execute/prepare`, {
      json: { entity: 'comments', action: 'create', params },
    });
    statuses.push(status);
    if (status < 300) await acme.ask('POST', `/api/v1/plans/${body.id}/refuse`, { json: {} });
  }
  // Parameters and request are stored: 100 kB for each, of 300 at once.
  expect(statuses.map((status) => status < 300)).toEqual([true, true, true, false, false]);
  expect(statuses.at(-1)).toBe(429);
});

test('tokens, inspections and other changes count, with a part of their own besides that of calls', async () => {
  // 48 entries at once, and 6 more for changes.
  const limits = { storedBytesPerDay: 144 * 1024 };
  const { tenant, service } = await startTestService({ limits, now: () => 1_800_000_000_000 });
  const acme = await tenant();
  const id = await acme.connect('linear');
  const statusesOf = async (count: number, ask: () => Promise<{ readonly status: number }>) => {
    const statuses: number[] = [];
    for (let at = 0; at < count; at++) statuses.push((await ask()).status);
    return statuses;
  };
  const scopedToken = () =>
    acme.ask('POST', '/api/v1/account/applications/scoped-token', { json: { workspace_name: 'default' } });
  const connector = `/api/v1/integrations/connectors/${id}`;
  const inspect = () => acme.ask('GET', `${connector}/inspect`);
  const rename = () => acme.ask('PUT', connector, { json: { name: 'other' } });
  for (const ask of [scopedToken, inspect, rename]) {
    expect(await statusesOf(5, ask)).toEqual(Array(5).fill(200));
  }
  expect((await statusesOf(40, () => execute(acme, id, 'nonsense', 'list'))).at(-1)).toBe(429);
  // Access can still be ended.
  const readOnly = { workspace_name: 'default', read_only: true };
  expect((await acme.ask('PUT', '/api/v1/policies', { json: readOnly })).status).toBe(200);
  for (const ask of [scopedToken, inspect, rename]) {
    const statuses = await statusesOf(6, ask);
    expect(statuses.at(-1)).toBe(429);
  }
  const { message, hint } = (await scopedToken()).body;
  expect(message).toBe('This client has stored as much as it may for now, so nothing was done.');
  expect(hint).toContain('raise storedBytesPerDay with');
  const { organizationId } = acme;
  const entries = await service.state.audit.list({ organizationId, limit: 100 });
  expect(entries.filter(({ event }) => event === 'token.scoped').length).toBeLessThan(12);
});

test('stored responses of executed plans count', async () => {
  const limits = { storedBytesPerDay: 1800 * 1024 };
  const { tenant, sandbox } = await startTestService({ limits, now: () => 1_800_000_000_000 });
  const acme = await tenant();
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const teams = await execute(acme, id, 'teams', 'list', { first: 1 });
  const description = 'long '.repeat(30_000);
  const issue = await execute(acme, id, 'issues', 'create', {
    teamId: teams.body.result[0].id,
    title: 'A',
    description,
  });
  const statuses: number[] = [];
  for (let count = 0; count < 8; count++) {
    const { status, body } = await acme.ask('POST', `/api/v1/integrations/connectors/${id}/execute/prepare`, {
      json: { entity: 'issues', action: 'update', params: { id: issue.body.result.issue.id, title: `${count}` } },
    });
    statuses.push(status);
    if (status >= 300) continue;
    const call = { entity: 'issues', action: 'update', plan_id: body.id };
    const executed = await acme.ask('POST', `/api/v1/integrations/connectors/${id}/execute`, { json: call });
    expect(executed.body.result.issue.description).toHaveLength(description.length);
  }
  // The responses take 150 kB each, of 600 at once; the plans take little.
  expect(statuses.map((status) => status < 300)).toEqual([true, true, true, true, false, false, false, false]);
});
