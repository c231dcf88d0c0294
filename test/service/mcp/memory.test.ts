import { expect, test } from 'vitest';
import { initialize, mainWorkspaceHeaders, startMcpService } from './setup.js';

test('sessions and callers share a part of the memory of their organization, and only their own end', {
  timeout: 60_000,
}, async () => {
  // Half of it is for sessions and files: two callers and eight sessions.
  const { tenant, post, server } = await startMcpService({ limits: { heldBytesOfOrganization: 2 * 2 ** 20 } });
  const [acme, other] = [await tenant('Acme'), await tenant('Other')];
  const begin = (token: string, workspace = 'main') =>
    post(initialize, { authorization: `Bearer ${token}`, 'x-workspace': workspace });
  const ping = async (token: string, session: string) => {
    const headers = { authorization: `Bearer ${token}`, 'mcp-session-id': session, ...mainWorkspaceHeaders };
    return (await post({ jsonrpc: '2.0', id: 2, method: 'ping' }, headers)).status;
  };
  const theirs = (await begin(other.token)).headers.get('mcp-session-id')!;
  const sessions: string[] = [];
  for (let count = 0; count < 13; count++) {
    const response = await begin(acme.token);
    await response.text();
    expect(response.status).toBe(200);
    sessions.push(response.headers.get('mcp-session-id')!);
  }
  // The caller's own oldest session has ended; its newest ones and those of the other organization have not.
  expect([await ping(acme.token, sessions[0]!), await ping(acme.token, sessions[12]!)]).toEqual([404, 200]);
  await server.state.workspaces.create(acme.organizationId, 'second');
  const refused = await begin(acme.token, 'second');
  expect(refused.status).toBe(429);
  expect((await refused.json()).error.message).toContain('holds too many bytes in memory, in sessions and files');
  expect(await ping(acme.token, sessions[12]!)).toBe(200);
  expect(await ping(other.token, theirs)).toBe(200);
  expect((await begin(other.token)).status).toBe(200);
});
