import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { createRequester } from '../../sandbox/google-drive/requester.js';
import { connectorOnSandbox, contentOf } from './setup.js';

const folderType = 'application/vnd.google-apps.folder';
const shortcutType = 'application/vnd.google-apps.shortcut';

/** A connector, and a shortcut in its Drive to a file that the query finds. */
async function withShortcut(q: string) {
  const { drive, sandbox } = connectorOnSandbox();
  const [target] = (await drive.files.list({ q: `${q} and trashed=false`, pageSize: 1 })).data;
  const { json } = await createRequester(sandbox)('/drive/v3/files', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Shortcut', mimeType: shortcutType, shortcutDetails: { targetId: target!.id } }),
  });
  sandbox.requests.clear();
  return { drive, sandbox, target: target!, shortcut: json.id as string };
}

const pdf = "mimeType = 'application/pdf' and 'me' in owners";
const doc = "mimeType = 'application/vnd.google-apps.document'";

describe('a shortcut', () => {
  test('to a file downloads its target and reports that in meta', async () => {
    const { drive, target, shortcut } = await withShortcut(pdf);
    const direct = await drive.files.download({ fileId: target.id });
    expect(direct.meta).not.toHaveProperty('notes');
    const followed = await drive.files.download({ fileId: shortcut });
    expect(followed.meta.notes).toEqual([expect.stringContaining(target.id)]);
    expect(followed.meta.content_type).toBe('application/pdf');
    expect(await contentOf(followed)).toEqual(await contentOf(direct));
  });

  test('to a file downloads a part on request', async () => {
    const { drive, shortcut } = await withShortcut(pdf);
    const { data, meta } = await drive.files.download({ fileId: shortcut, range_header: 'bytes=0-3' });
    expect(new TextDecoder().decode(await contentOf({ data }))).toBe('%PDF');
    expect(meta.content_range).toMatch(/^bytes 0-3\//);
  });

  test('to a document exports its target and reports that in meta', async () => {
    const { drive, target, shortcut } = await withShortcut(doc);
    const mimeType = 'text/plain';
    const direct = await drive.files_export.download({ fileId: target.id, mimeType });
    const followed = await drive.files_export.download({ fileId: shortcut, mimeType });
    expect(followed.meta.notes).toEqual([expect.stringContaining(target.id)]);
    expect(await contentOf(followed)).toEqual(await contentOf(direct));
  });

  test('to the wrong kind of file names its target and the correct action', async () => {
    const toDoc = await withShortcut(doc);
    const downloaded = await failure(toDoc.drive.files.download({ fileId: toDoc.shortcut }));
    expect(downloaded.code).toBe('not_downloadable');
    expect(downloaded.hint).toContain('files_export.download');
    expect(downloaded.hint).toContain(toDoc.target.id);
    const toPdf = await withShortcut(pdf);
    const call = toPdf.drive.files_export.download({ fileId: toPdf.shortcut, mimeType: 'text/plain' });
    const exported = await failure(call);
    expect(exported.code).toBe('not_exportable');
    expect(exported.hint).toContain('files.download');
    expect(exported.hint).toContain(toPdf.target.id);
  });

  test('to a folder suggests listing its contents', async () => {
    const { drive, target, shortcut } = await withShortcut(`mimeType = '${folderType}'`);
    for (const call of [
      drive.files.download({ fileId: shortcut }),
      drive.files_export.download({ fileId: shortcut, mimeType: 'text/plain' }),
    ]) {
      const { hint } = await failure(call);
      expect(hint).toContain(`'${target.id}' in parents`);
      expect(hint).not.toMatch(/files_export|files\.download/);
    }
  });
});

describe('a hint about an item without content', () => {
  test('never sends the caller back and forth between two actions', async () => {
    const { drive } = connectorOnSandbox();
    const { data } = await drive.files.list({ pageSize: 1000, q: 'trashed=false' });
    for (const { id: fileId, mimeType, exportLinks } of data) {
      if (!mimeType!.startsWith('application/vnd.google-apps.') || mimeType === shortcutType) continue;
      const { hint } = await failure(drive.files.download({ fileId }));
      if (exportLinks) expect(hint, mimeType!).toContain('files_export.download');
      else expect(hint, mimeType!).not.toMatch(/files_export\.download|files\.download/);
      if (exportLinks) continue;
      const exported = await failure(drive.files_export.download({ fileId, mimeType: 'application/pdf' }));
      expect(exported.hint ?? '', mimeType!).not.toMatch(/files_export\.download|files\.download/);
    }
  });

  test('suggests listing a folder and names the formats of a document', async () => {
    const { drive } = connectorOnSandbox();
    const [folder] = (await drive.files.list({ q: `mimeType = '${folderType}'`, pageSize: 1 })).data;
    expect((await failure(drive.files.download({ fileId: folder!.id }))).hint).toContain(`'${folder!.id}' in parents`);
    const [sheet] = (await drive.files.list({ q: "mimeType = 'application/vnd.google-apps.spreadsheet'", pageSize: 1 }))
      .data;
    expect((await failure(drive.files.download({ fileId: sheet!.id }))).hint).toContain('text/csv');
  });
});

test('the hint for an oversized export names the link that is exempt from that limit and says what that link requires', async () => {
  const { drive, sandbox } = connectorOnSandbox();
  sandbox.vendors['google-drive'].limits = { exported: 1 };
  const [file] = (await drive.files.list({ q: `${doc} and trashed=false`, pageSize: 1 })).data;
  const error = await failure(drive.files_export.download({ fileId: file!.id, mimeType: 'application/pdf' }));
  expect(error.code).toBe('too_large');
  expect(error.hint).toContain(file!.exportLinks!['application/pdf']);
  expect(error.hint).toContain('access token');
});
