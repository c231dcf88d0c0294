import { expect, test } from 'vitest';
import { execute } from '../http/setup.js';
import { startReplicatingService, waitForNewestJob } from './setup.js';

test('a hit shows nothing of an entity that a policy does not allow searching', async () => {
  const { acme, sandbox } = await startReplicatingService();
  const id = await acme.connect('gong', sandbox.vendors.gong.credentials.basic);
  expect(await waitForNewestJob(acme, id)).toMatchObject({ status: 'done' });
  const metadata = async (): Promise<any[]> => {
    const params = { semantic: { prompt: 'pricing' }, limit: 5 };
    const { body } = await execute(acme, id, 'call_transcripts', 'context_store_search', params);
    return body.result.data.map((hit: any) => hit.metadata);
  };
  expect((await metadata())[0]).toMatchObject({ callTitle: expect.any(String), callUrl: expect.any(String) });
  const allow = ['gong:call_transcripts.context_store_search'];
  await acme.ask('PUT', '/api/v1/policies', { json: { workspace_name: 'main', connector_id: id, allow } });
  const limited = await metadata();
  expect(limited).toHaveLength(5);
  for (const one of limited) expect(one).toMatchObject({ speakerName: null, callTitle: null, callUrl: null });
  const { body } = await acme.ask('POST', '/api/v1/workspaces/main/search', {
    json: { prompt: 'pricing' },
  });
  expect(body.data.length).toBeGreaterThan(0);
  for (const one of body.data) expect(one).toMatchObject({ title: null, people: [] });
});
