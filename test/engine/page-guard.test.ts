import { GongConnector } from 'agent-connectors/gong';
import { replicationCalls } from 'agent-connectors/replication';
import { expect, it } from 'vitest';

const user = (id: string) => ({ id, emailAddress: `${id}@shelf.example` });

/** Follows the pages of a list as a replication does, with the cursors in turn. */
async function follow(cursors: readonly (string | undefined)[]) {
  let requests = 0;
  const fetch = async () => {
    const cursor = cursors[requests % cursors.length];
    requests += 1;
    return Response.json({ requestId: 'r', records: { totalRecords: 9, cursor }, users: [user(String(requests))] });
  };
  const manifest = (GongConnector as any).manifest;
  const credentials = { access_key: 'a', access_key_secret: 'b' };
  const calls = replicationCalls(manifest, { entities: {} }, { credentials, fetch } as any);
  let params: object = {};
  for (;;) {
    const result = await calls.execute('users', 'list', params);
    const more = calls.following('users', 'list', params, result);
    if (!more) return requests;
    params = { ...params, ...more };
    if (requests > 50) throw new Error('endless');
  }
}

it.each([[['same']], [['a', 'b']], [['a', 'b', 'c']]])(
  'a loop over the cursors %j ends with an error',
  async (cursors) => {
    await expect(follow(cursors)).rejects.toMatchObject({ code: 'invalid_response' });
  },
);

it('a list that ends is read to its end', async () => {
  expect(await follow(['a', 'b', undefined])).toBe(3);
  expect(await follow(['a', ''])).toBe(2);
});
