import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runToEnd } from '../cli/terminal.js';
import { connectorPath, startTestService } from '../http/setup.js';
import { newFolder, openTestDatabase } from '../state/fixtures.js';

/** Log entries, oldest first: event, workspace and connector (null if none). */
const logOf = async (ask: (method: string, path: string) => Promise<{ body: any }>): Promise<any[]> =>
  (await ask('GET', '/api/v1/audit?limit=1000')).body.data.reverse();

describe('the audit log', () => {
  test('records issued tokens and created workspaces', async () => {
    const { tenant } = await startTestService();
    const { ask, clientId } = await tenant();
    await ask('POST', '/api/v1/account/applications/scoped-token', { json: { workspace_name: 'one' } });
    await ask('POST', '/api/v1/account/applications/scoped-token', { json: { workspace_name: 'one' } });
    await ask('POST', '/api/v1/workspaces', { json: { name: 'two' } });
    const { data } = (await ask('GET', '/api/v1/workspaces')).body;
    const ids = Object.fromEntries(data.map(({ id, name }: { id: string; name: string }) => [name, id]));
    expect((await logOf(ask)).map(({ event, workspace_id, client_id }) => [event, workspace_id, client_id])).toEqual([
      ['token', null, clientId],
      ['workspace.created', ids.one, clientId],
      ['token.scoped', ids.one, clientId],
      ['token.scoped', ids.one, clientId],
      ['workspace.created', ids.two, clientId],
    ]);
  });

  test('records the deletion of a workspace and each of its connectors, with their tokens revoked at the vendor', async () => {
    const { sandbox, tenant } = await startTestService();
    const { ask, connect } = await tenant();
    const ids = [
      await connect('linear', sandbox.vendors.linear.credentials.oauth),
      await connect('linear', sandbox.vendors.linear.credentials.api_key),
    ];
    const { status } = await ask('POST', connectorPath(ids[0]!, '/check'));
    expect(status).toBe(200);
    const sent = sandbox.requests.length;
    const gone = await ask('DELETE', '/api/v1/workspaces/main');
    expect(gone.status).toBe(200);
    const revoking = sandbox.requests.slice(sent).map(({ path }) => path);
    expect(revoking).toEqual(['/oauth/revoke']);
    const entries = (await logOf(ask)).slice(-3);
    expect(entries.map(({ event }) => event)).toEqual(['connector.deleted', 'connector.deleted', 'workspace.deleted']);
    expect(
      entries
        .slice(0, 2)
        .map(({ connector_id }) => connector_id)
        .sort(),
    ).toEqual([...ids].sort());
    expect(entries.map(({ workspace_id }) => workspace_id)).toEqual(Array(3).fill(gone.body.id));
  });

  test('records clients that the operator creates, changes and deletes', async () => {
    const data = join(newFolder(), 'data');
    const run = async (...args: string[]) => {
      const { code, out, error } = await runToEnd([...args, '--data', data, '--json']);
      expect([code, error]).toEqual([0, '']);
      return JSON.parse(out);
    };
    await run('create-organization', '--name', 'acme', '--create-key');
    const { client_id } = await run('create-client', '--name', 'Agent');
    expect(await run('update-client', client_id, '--scopes', 'write,read')).toEqual({
      id: client_id,
      scopes: ['read', 'write'],
    });
    const rolled = await run('roll-secret', client_id, '--overlap', '0');
    expect(rolled).toMatchObject({ client_id, previous_valid_until: null });
    const again = await run('roll-secret', client_id);
    expect([again.client_secret === rolled.client_secret, again.previous_valid_until]).toEqual([
      false,
      expect.stringMatching(/Z$/),
    ]);
    await run('delete-client', client_id);
    const verdict = await run('verify-audit');
    expect(verdict.entries).toBe(5);
    const database = await openTestDatabase(data);
    const entries = await database.query
      .selectFrom('audit')
      .select(['event', 'subject', 'via'])
      .orderBy('seq')
      .execute();
    await database.close();
    const events = ['created', 'scopes_changed', 'secret_rolled', 'secret_rolled', 'deleted'];
    expect(entries).toEqual(events.map((event) => ({ event: `client.${event}`, subject: client_id, via: 'cli' })));
  });
});
