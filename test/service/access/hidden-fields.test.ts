import { expect, test } from 'vitest';
import { connectorPath } from '../http/setup.js';
import { owner, startBoundDrive } from './setup.js';

const ana = 'ana@fernhill.example';
const wes = 'wes@fernhill.example';

test('a user sees neither the names of folders that may be closed, nor with whom a file is shared unless she may share it', async () => {
  let fileId = '';
  const { as, id, acme } = await startBoundDrive(async ({ root, folder, file, share }) => {
    const closed = await folder('Layoffs in May', root);
    fileId = await file('Shared alone.txt', 'The plan for everyone.', closed);
    await share(fileId, { type: 'user', emailAddress: ana, role: 'commenter' });
    await share(fileId, { type: 'user', emailAddress: wes, role: 'writer' });
  });
  const run = (ask: typeof acme.ask, entity: string, action: string, params: object, more: object = {}) =>
    ask('POST', connectorPath(id, '/execute'), { json: { entity, action, params, ...more } });
  const search = (ask: typeof acme.ask, query: object, more: object = {}) =>
    run(ask, 'files', 'context_store_search', { query, ...more });
  const [user, writer] = [await as(ana), await as(wes)];
  const everyone = await search(acme.ask, { filter: { like: { file_name: 'Shared%' } } });
  expect(everyone.body.result.data[0].file_path).toContain('Layoffs in May');
  const own = await search(user.ask, { filter: { like: { file_name: 'Shared%' } } });
  expect(own.body.result.data).toMatchObject([{ id: fileId, file_path: null, readers: null }]);
  const hit = await run(user.ask, 'files', 'context_store_search', { semantic: { prompt: 'plan' } });
  expect(hit.body.result.data[0].entity.file_path).toBeNull();
  const workspace = await user.ask('POST', '/api/v1/workspaces/main/search', { json: { prompt: 'the plan' } });
  for (const { text } of [own, hit, workspace]) expect(text).not.toContain('Layoffs');
  for (const query of [
    { filter: { like: { file_path: '%Layoffs%' } } },
    { filter: { not: { contains: { readers: `user:${owner}` } } } },
    { filter: {}, sort: [{ file_path: 'asc' }] },
  ]) {
    expect([(await search(user.ask, query)).status, query]).not.toContainEqual(200);
  }
  expect((await search(user.ask, { groupBy: ['file_path'], aggregates: {} })).status).not.toBe(200);
  const fields = 'id,name,permissions,permissionIds';
  const got = await run(user.ask, 'files', 'get', { fileId, fields }, { raw: true });
  expect(got.status).toBe(200);
  expect(got.text).not.toContain(owner);
  expect((await run(user.ask, 'permissions', 'list', { fileId })).body.code).toBe('not_found');
  const shown = await run(writer.ask, 'permissions', 'list', { fileId });
  expect(shown.body.result.length).toBeGreaterThan(1);
});
