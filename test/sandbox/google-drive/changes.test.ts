import { createSandbox } from 'agent-connectors-sandbox';
import { beforeEach, describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { createFinder, createRequester, jsonRequest, multipart, tokenOf } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const ask = createRequester(sandbox);
const find = createFinder(ask);
beforeEach(() => sandbox.reset());

const everywhere = 'includeItemsFromAllDrives=true&supportsAllDrives=true';
const start = async (query = '') => (await ask(`/drive/v3/changes/startPageToken${query}`)).json.startPageToken;
const changes = async (pageToken: string, query = '') =>
  (await ask(`/drive/v3/changes?pageToken=${pageToken}&fields=*${query}`)).json;

describe('the changes feed', () => {
  it('starts empty and returns a token to continue from', async () => {
    const token = await start();
    expect(token).toMatch(/^\d+$/);
    expect(await changes(token)).toEqual({ kind: 'drive#changeList', newStartPageToken: token, changes: [] });
  });

  it('records every write', async () => {
    const token = await start();
    const made = (await ask('/drive/v3/files', jsonRequest('POST', { name: 'made' }))).json.id;
    const sent = (
      await ask('/upload/drive/v3/files?uploadType=multipart', multipart({ name: 'sent' }, 'text/plain', 'x'))
    ).json.id;
    const [renamed, trashed, moved, gone] = [
      await find('rates.json'),
      await find('Budget'),
      await find('Assets'),
      await find('empty.txt'),
    ];
    await ask(`/drive/v3/files/${renamed}`, jsonRequest('PATCH', { name: 'renamed' }));
    await ask(`/drive/v3/files/${trashed}`, jsonRequest('PATCH', { trashed: true }));
    await ask(
      `/drive/v3/files/${moved}?addParents=root&removeParents=${await find('Design')}`,
      jsonRequest('PATCH', {}),
    );
    await ask(`/drive/v3/files/${gone}`, { method: 'DELETE' });
    const page = await changes(token);
    expect(page.changes.map(({ fileId, removed, file }: any) => [fileId, removed, file?.name, file?.trashed])).toEqual([
      [made, false, 'made', false],
      [sent, false, 'sent', false],
      [renamed, false, 'renamed', false],
      [trashed, false, 'Budget', true],
      [moved, false, 'Assets', false],
      [gone, true, undefined, undefined],
    ]);
    expect(page.changes[0]).toMatchObject({
      kind: 'drive#change',
      type: 'file',
      changeType: 'file',
      time: '2026-05-04T12:00:00.000Z',
    });
    expect(page).not.toHaveProperty('nextPageToken');
    expect((await changes(page.newStartPageToken)).changes).toEqual([]);
    expect((await changes(token, '&includeRemoved=false')).changes).toHaveLength(5);
  });

  it('reports a deleted folder with everything below it', async () => {
    const token = await start();
    await ask(`/drive/v3/files/${await find('Assets')}`, { method: 'DELETE' });
    const page = await changes(token);
    expect(page.changes).toHaveLength(8);
    expect(page.changes.every(({ removed, file }: any) => removed && !file)).toBe(true);
  });

  it('reports only the last of several changes to a file', async () => {
    const token = await start();
    const id = await find('rates.json');
    for (const name of ['a', 'b', 'c']) await ask(`/drive/v3/files/${id}`, jsonRequest('PATCH', { name }));
    expect((await changes(token)).changes).toMatchObject([{ fileId: id, file: { name: 'c' } }]);
  });

  it('is paginated, with the new start token only on the last page', async () => {
    const found = new Set<string>();
    let token: string | undefined = '1000';
    let pages = 0;
    let newStart: string | undefined;
    while (token) {
      const page: any = await changes(token, '&pageSize=50');
      for (const { fileId } of page.changes) found.add(fileId);
      expect('nextPageToken' in page).not.toBe('newStartPageToken' in page);
      token = page.nextPageToken;
      newStart = page.newStartPageToken;
      pages += 1;
    }
    expect(pages).toBeGreaterThan(3);
    expect(found.size).toBeGreaterThan(150);
    expect(newStart).toBe(await start());
  });

  it('can return an empty page that is not the last', async () => {
    sandbox.faults.add({ kind: 'empty_page' });
    const page = await changes('1000');
    expect(page).toEqual({ kind: 'drive#changeList', nextPageToken: '1000', changes: [] });
    expect((await changes(page.nextPageToken)).changes.length).toBeGreaterThan(0);
  });

  it('returns a short set of fields by default', async () => {
    const { json } = await ask('/drive/v3/changes?pageToken=1000&pageSize=1');
    expect(Object.keys(json.changes[0]).sort()).toEqual([
      'changeType',
      'file',
      'fileId',
      'kind',
      'removed',
      'time',
      'type',
    ]);
  });

  it('includes shared drives only with both flags, and can be limited to one drive', async () => {
    const mine = await changes('1000', '&pageSize=1000');
    expect(mine.changes.some(({ driveId }: any) => driveId)).toBe(false);
    const all = await changes('1000', `&pageSize=1000&${everywhere}`);
    expect(all.changes.filter(({ changeType }: any) => changeType === 'drive')).toHaveLength(2);
    const { id } = (await ask('/drive/v3/drives')).json.drives[0];
    const one = await changes('1000', `&pageSize=1000&driveId=${id}&${everywhere}`);
    expect(one.changes.length).toBeGreaterThan(5);
    expect(one.changes.every(({ driveId }: any) => driveId === id)).toBe(true);
    expect(await start(`?driveId=${id}&supportsAllDrives=true`)).toMatch(/^\d+$/);
    expect((await ask('/drive/v3/changes/startPageToken?driveId=0Anowhere')).status).toBe(404);
    expect(await ask(`/drive/v3/changes?pageToken=1000&driveId=${id}`)).toMatchObject({ status: 403 });
  });

  it('can be restricted to My Drive', async () => {
    const found = (await changes('1000', '&pageSize=1000')).changes.map(({ file }: any) => file?.name);
    const own = (await changes('1000', '&pageSize=1000&restrictToMyDrive=true')).changes.map(
      ({ file }: any) => file?.name,
    );
    expect(found).toContain('Ledger rewrite');
    expect(own).not.toContain('Ledger rewrite');
    expect(own).toContain('Budget');
  });

  it('hides what a user cannot access', async () => {
    const administrator = createRequester(sandbox, await tokenOf(sandbox, 'administrator'));
    const token = await start();
    await ask('/drive/v3/files', jsonRequest('POST', { name: 'secret' }));
    expect((await administrator(`/drive/v3/changes?pageToken=${token}`)).json.changes).toEqual([]);
  });

  it('accepts only its own tokens', async () => {
    expect(await ask('/drive/v3/changes')).toMatchObject({ status: 400, reason: 'required' });
    for (const token of ['x', '-5', '99999999']) {
      expect(await ask(`/drive/v3/changes?pageToken=${token}`)).toMatchObject({ status: 400, reason: 'invalid' });
    }
  });
});
