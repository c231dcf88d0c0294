import { expect, test } from 'vitest';
import { serveFile } from './drive-file.js';
import { execute, startTestService } from './setup.js';

// Sends the same requests as the Python client for the API that this one is compatible with; test/interop/python runs
// the client itself.
const headers = { 'x-adp-agent-sdk': 'airbyte-agent-sdk' };

test('documentation is returned as blocks, and listed connectors have their type in the field the client expects', async () => {
  const { ask, connect } = await (await startTestService()).tenant();
  const id = await connect('linear');
  const plain = await ask('GET', `/api/v1/skills/docs?id=${id}`);
  const { body } = await ask('GET', `/api/v1/skills/docs?id=${id}`, { headers });
  expect(body.content).toEqual([{ type: 'paragraph', text: plain.body.content }]);
  const listed = await ask('GET', '/api/v1/integrations/connectors', { headers });
  expect(listed.body.data[0].summarized_source_template).toEqual({ name: 'linear' });
});

test('workspaces can be found by part of their name', async () => {
  const { ask } = await (await startTestService()).tenant();
  await ask('POST', '/api/v1/workspaces', { json: { name: 'Sales_EU' } });
  await ask('POST', '/api/v1/workspaces', { json: { name: 'SalesXEU' } });
  const names = async (part: string) =>
    (await ask('GET', `/api/v1/workspaces?name_contains=${part}`)).body.data.map(({ name }: any) => name);
  // Both may have been created in the same millisecond.
  expect((await names('sales')).sort()).toEqual(['SalesXEU', 'Sales_EU']);
  expect(await names('s_e')).toEqual(['Sales_EU']);
  expect(await names('%25')).toEqual([]);
});

test('every list accepts a limit', async () => {
  const running = await startTestService();
  const acme = await running.tenant();
  const { linear, gong, granola, 'google-drive': drive } = running.sandbox.vendors;
  const one = async (type: string, credentials: object, entity: string, size: unknown) => {
    const { body, text } = await execute(acme, await acme.connect(type, credentials), entity, 'list', { limit: 1 });
    expect(body?.result?.length, text).toEqual(size);
  };
  await one('linear', linear.credentials.api_key, 'issues', 1);
  await one('granola', granola.credentials.api_key, 'notes', 1);
  await one('google-drive', drive.credentials.oauth, 'files', 1);
  // Gong does not support page sizes, so the page is returned whole.
  await one('gong', gong.credentials.basic, 'users', expect.any(Number));
});

test('a download is returned in chunks as regular responses, as text or base64', async () => {
  const bytes = new TextEncoder().encode('Grüße');
  const { tenant, id } = await serveFile({ bytes, type: 'application/octet-stream' });
  const download = async (params: object, more: Parameters<typeof execute>[5] = {}) =>
    (await execute(tenant, id, 'files', 'download', { fileId: 'f1', ...params }, more)).body.result;
  const json = { _airbyte_response_type: 'json' };
  expect(await download({ ...json, _airbyte_response_format: 'text' })).toMatchObject({
    content: 'Grüße',
    encoding: 'utf-8',
    has_more: false,
  });
  const base64 = { content: Buffer.from(bytes).toString('base64'), encoding: 'base64' };
  expect(await download({ ...json, _airbyte_response_format: 'base64' })).toMatchObject(base64);
  expect(await download({}, { headers })).toMatchObject(base64);
});
