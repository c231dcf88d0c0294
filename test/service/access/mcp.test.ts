import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientOf, type Era, eras, textOf } from '../../mcp/setup.js';
import { handleIn } from '../../tools/setup.js';
import { startBoundDrive } from './setup.js';

const [ana, bo, staff, board] = ['ana', 'bo', 'staff', 'board'].map((name) => `${name}@partner.example`) as [
  ...[string, string, string, string],
];

const connector = 'google-drive';

/** A Drive with one file each for two users and a group, and MCP clients that use tokens of the same client. */
async function startShared() {
  const ids = { ana: '', bo: '', staff: '' };
  const running = await startBoundDrive(async ({ file, root, share }) => {
    ids.ana = await file('Ana.txt', `A plan for Ana. ${'Long words. '.repeat(8_000)}`, root);
    ids.bo = await file('Bo.txt', 'A plan for Bo.', root);
    ids.staff = await file('Staff.txt', 'A plan for the staff.', root);
    await share(ids.ana, { type: 'user', emailAddress: ana });
    await share(ids.bo, { type: 'user', emailAddress: bo });
    await share(ids.staff, { type: 'group', emailAddress: staff });
  });
  const connect = async (token: string, era: Era = 'modern', sessionId?: string) => {
    const transport = new StreamableHTTPClientTransport(new URL('http://service.test/mcp'), {
      fetch: (input, init) => running.service.fetch(new Request(input, init)),
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      ...(sessionId !== undefined && { sessionId }),
    });
    const client = clientOf(era);
    await client.connect(transport);
    onTestFinished(() => client.close());
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    return {
      client,
      call,
      transport,
      run: (action: string, params: object) => call('execute', { connector, entity: 'files', action, params }),
      /** The start of the next part of a truncated result. */
      continued: async (handle: string) => textOf(await call('execute', { continue: handle })).slice(0, 1_500),
      completeIds: async (value = '') => {
        const { completion } = await client.complete({
          ref: { type: 'ref/prompt', name: 'summarise' },
          argument: { name: 'id', value },
          context: { arguments: { connector, entity: 'files' } },
        });
        return new Set(completion.values);
      },
    };
  };
  return {
    ...running,
    connect,
    ids,
    connectAs: async (user: string, groups: readonly string[] = [], era?: Era) =>
      connect((await running.as(user, { as_groups: groups })).token, era),
  };
}

describe('an MCP client with a token bound to a user', () => {
  test('finds and reads only what the user can open', async () => {
    const { connectAs, ids } = await startShared();
    const { call, run } = await connectAs(ana);
    const found = textOf(await call('search', { prompt: 'plan' }));
    expect(found).toContain('Ana.txt');
    expect(found).not.toMatch(/Bo\.txt|Staff\.txt/);
    expect(textOf(await run('get', { fileId: ids.ana }))).toContain('Ana.txt');
    expect(textOf(await run('get', { fileId: ids.bo }))).not.toContain('Bo.txt');
  });

  test.each(eras)('gets no completions found for another user of the same client (%s)', async (era) => {
    const { acme, connect, connectAs, ids, scoped } = await startShared();
    const unbound = await connect((await scoped(acme, { scopes: ['read'] })).body.token, era);
    expect(await unbound.completeIds()).toEqual(new Set(Object.values(ids)));
    const byAna = await connectAs(ana, [], era);
    const byBo = await connectAs(bo, [], era);
    expect(await byAna.completeIds()).toEqual(new Set([ids.ana]));
    expect(await byBo.completeIds()).toEqual(new Set([ids.bo]));
    expect(await byBo.completeIds(ids.ana)).toEqual(new Set());
    expect(await (await connectAs(ana, [staff], era)).completeIds()).toEqual(new Set([ids.ana, ids.staff]));
    expect(await byAna.completeIds()).toEqual(new Set([ids.ana]));
  });

  test('cannot read a truncated result or a downloaded file belonging to another user of the same client', async () => {
    const { connectAs, file, ids, root, share } = await startShared();
    const photo = await file('Photo.png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0xff), root, { type: 'image/png' });
    await share(photo, { type: 'user', emailAddress: ana });
    const groups = [staff, board];
    const byAna = await connectAs(ana, groups);
    const others = [await connectAs(bo, groups), await connectAs(ana), await connectAs(ana, [staff])];
    const fields = { query: { filter: { eq: { id: ids.ana } } }, fields: ['content'] };
    const handle = handleIn(textOf(await byAna.run('context_store_search', fields)))!;
    const [uri] = /agent-connectors:\/\/files\/\w+/.exec(textOf(await byAna.run('download', { fileId: photo })))!;
    for (const other of others) {
      expect(await other.continued(handle)).toContain('continue is invalid or has expired');
      await expect(other.client.readResource({ uri })).rejects.toThrow('not found');
    }
    // The order of the groups, repetitions and the address's case make no difference.
    for (const same of [byAna, await connectAs('ANA@partner.example', [board, staff, board])]) {
      expect(await same.continued(handle)).toContain('Long words.');
      expect((await same.client.readResource({ uri })).contents).toHaveLength(1);
    }
  });

  test('cannot use a session belonging to another user of the same client', async () => {
    const { as, connect } = await startShared();
    const [tokenOfAna, tokenOfBo] = [(await as(ana)).token, (await as(bo)).token];
    const { transport } = await connect(tokenOfAna, 'legacy');
    const resumed = async (token: string) => (await connect(token, 'legacy', transport.sessionId!)).client.ping();
    await expect(resumed(tokenOfBo)).rejects.toThrow(/session/i);
    expect(await resumed(tokenOfAna)).toEqual({});
  });
});
