import { describe, expect, test } from 'vitest';
import { collect, connectorOnSandbox } from './setup.js';

/** Requests for pages of a list, by the list's path. */
const pagesOf = ({ sandbox }: ReturnType<typeof connectorOnSandbox>, path: string) =>
  sandbox.requests.filter((request) => request.path === path).length;

describe("a list with the caller's own mask", () => {
  test.each([
    'files(*)',
    'files(id,owners(*))',
    'kind,files(id)',
    ' files/id ',
    'files(id, exportLinks/*)',
    'files(id,name),incompleteSearch',
  ])('has all pages: %s', async (fields) => {
    const { drive, ...rest } = connectorOnSandbox();
    const q = "mimeType = 'application/pdf'";
    const all = await collect(drive.paginate('files', 'list', { q }));
    rest.sandbox.requests.clear();
    const pageSize = Math.ceil(all.length / 3);
    const found = await collect(drive.paginate('files', 'list', { q, pageSize, fields }));
    expect(all.length).toBeGreaterThan(3);
    expect(found.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(pagesOf({ drive, ...rest }, '/drive/v3/files')).toBe(3);
  });

  test.each(['*', 'nextPageToken,files(id)', 'files(id),nextPageToken', 'nextPageToken , files(id)'])(
    'is sent unchanged if it includes the token at the top level: %s',
    async (fields) => {
      const { drive, sandbox } = connectorOnSandbox();
      const { meta } = await drive.files.list({ pageSize: 1, fields });
      expect(meta.nextPageToken).toEqual(expect.any(String));
      expect(sandbox.requests[0]!.query.fields).toBe(fields);
    },
  );

  test('of comments and their replies returns all pages', async () => {
    const { drive } = connectorOnSandbox();
    const files = await collect(drive.paginate('files', 'list', { pageSize: 1000 }));
    for (const { id: fileId } of files.slice(0, 200)) {
      const all = await collect(drive.paginate('comments', 'list', { fileId }));
      if (all.length < 2) continue;
      const found = await collect(drive.paginate('comments', 'list', { fileId, pageSize: 1, fields: 'comments(*)' }));
      expect(found.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
      return;
    }
    throw new Error('The sandbox has no file with two comments.');
  });
});
