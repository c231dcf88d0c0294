import { expect, test } from 'vitest';
import { textOf } from '../../mcp/setup.js';
import { handleIn, insideOf } from '../../tools/setup.js';
import { execute, mainWorkspaceHeaders, startMcpService } from './setup.js';

const issues = { entity: 'issues', action: 'list', params: { first: 100 } };
const day = 24 * 60 * 60_000;

test('the rest of a truncated result can be read in another session, for a day', async () => {
  let time = Date.now();
  const { tenant, connect } = await startMcpService({ now: () => time });
  const acme = await tenant();
  const clientToken = async (): Promise<string> => {
    const json = { client_id: acme.clientId, client_secret: acme.clientSecret };
    return (await acme.ask('POST', '/api/v1/account/applications/token', { json })).body.access_token;
  };
  const first = textOf(await (await connect(await clientToken())).callTool(execute(issues)));
  const handle = handleIn(first)!;
  const again = await connect(await clientToken());
  const second = textOf(await again.callTool(execute({ continue: handle })));
  expect(insideOf(second).inside).not.toBe('');
  expect(second).not.toContain('has changed');
  time += day + 1_000;
  const later = await connect(await clientToken());
  expect(textOf(await later.callTool(execute({ continue: handle })))).toContain('invalid or has expired');
});

test('a handle is accepted only from its own client, and for its own connector', async () => {
  const { tenant, connect, sandbox } = await startMcpService();
  const [acme, other] = [await tenant('Acme'), await tenant('Globex')];
  const client = await connect(acme.token);
  const handle = handleIn(textOf(await client.callTool(execute(issues))))!;
  const [call, expires, signature] = handle.split('.') as [string, string, string];
  const changed = Buffer.from(Buffer.from(call, 'base64url').toString().replace('"list"', '"get"')).toString(
    'base64url',
  );
  const later = (Number.parseInt(expires, 36) + 1).toString(36);
  for (const forged of [call, `${changed}.${expires}.${signature}`, `${call}.${later}.${signature}`]) {
    expect(textOf(await client.callTool(execute({ continue: forged })))).toContain('invalid or has expired');
  }
  const policy = { workspace_name: 'main', connector_id: acme.linear, allow: ['teams.*'] };
  await acme.ask('PUT', '/api/v1/policies', { json: policy });
  expect(textOf(await client.callTool(execute({ continue: handle })))).toContain('denied_by_policy');
  const stolen = await (await connect(other.token)).callTool(execute({ continue: handle }));
  expect(textOf(stolen)).toContain('invalid or has expired');
  // The name now belongs to another connector.
  await acme.ask('DELETE', `/api/v1/integrations/connectors/${acme.linear}`);
  await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const replaced = await connect(acme.token, mainWorkspaceHeaders);
  expect(textOf(await replaced.callTool(execute({ continue: handle })))).toContain('invalid or has expired');
});
