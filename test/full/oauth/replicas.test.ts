import { auth, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createSandbox } from 'agent-connectors-sandbox';
import { type RunningService, serve } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from '../../mcp/setup.js';
import { tenantOf } from '../../service/http/setup.js';
import { newKey } from '../../service/keys.js';
import { appOf, personOf } from '../../service/oauth/setup.js';
import { newFolder } from '../../service/state/fixtures.js';
import { serveDump } from '../../service/upgrade/postgres-server.js';

const publicUrl = 'http://localhost:9';

test('two replicas on one Postgres database share a sign-in, whichever replica handles each step', {
  timeout: 60_000,
}, async () => {
  const postgres = await serveDump('');
  onTestFinished(() => postgres.close());
  const { fetch: vendors } = createSandbox({ seed: 7, scale: 0.2 });
  const options = { databaseUrl: postgres.url, key: newKey(), publicUrl, port: 0, fetch: vendors, replicate: false };
  const replicas: RunningService[] = [];
  for (let count = 0; count < 2; count++) replicas.push(await serve({ ...options, dataFolder: newFolder() }));
  onTestFinished(async () => {
    for (const replica of replicas) await replica.close();
  });
  const tenant = await tenantOf(replicas[0]!, 'Acme');
  const answered = [0, 0];
  let turn = 0;
  /** Alternates between the replicas. */
  const balanced: typeof fetch = (input, init) => {
    turn = 1 - turn;
    answered[turn]! += 1;
    return fetch(String(input).replace(publicUrl, replicas[turn]!.url), init);
  };
  const app = appOf();
  const serverUrl = `${publicUrl}/mcp`;
  const person = personOf(publicUrl, tenant, balanced);
  expect(await auth(app, { serverUrl, fetchFn: balanced })).toBe('REDIRECT');
  const back = await person.allow(app.authorizationUrl!.href);
  const transport = () => new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: app, fetch: balanced });
  await transport().finishAuth(back.searchParams);
  const client = clientOf('modern');
  await client.connect(transport());
  onTestFinished(() => client.close());
  expect(await client.listTools()).toBeDefined();
  expect(await auth(app, { serverUrl, fetchFn: balanced })).toBe('AUTHORIZED');
  expect(await client.listTools()).toBeDefined();
  const [grant] = await replicas[0]!.state.grants.list({ organizationId: tenant.organizationId });
  await replicas[0]!.state.grants.revoke({ organizationId: tenant.organizationId }, grant!.id);
  for (const { url } of replicas) {
    const headers = { authorization: `Bearer ${app.saved.tokens.access_token}` };
    expect((await fetch(`${url}/mcp`, { method: 'POST', headers })).status).toBe(401);
  }
  expect(Math.min(...answered)).toBeGreaterThan(5);
});
