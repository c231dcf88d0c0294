import { GongConnector } from 'agent-connectors/gong';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, test } from 'vitest';
import { failure } from '../failure.js';

/** Connectors whose requests are recorded and fail. */
function recording() {
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    sent.push(decodeURIComponent(pathname + search) + (await request.text()));
    return Response.json({ error: { code: 404, message: 'Not found.' } }, { status: 404 });
  };
  const options = { fetch, retries: 0 };
  return {
    sent,
    drive: new GoogleDriveConnector({ ...options, credentials: { access_token: 't' } }),
    linear: new LinearConnector({ ...options, credentials: { api_key: 'k' } }),
    gong: new GongConnector({ ...options, credentials: { access_key: 'k', access_key_secret: 's' } }),
    granola: new GranolaConnector({ ...options, credentials: { api_key: 'k' } }),
  };
}

const file = '1dyUEebJaFnWa3Z4n0BFMVAXQ7mfUH11g';

describe('Google Drive takes the id out of', () => {
  test.each([
    ...['document', 'spreadsheets', 'presentation', 'forms', 'drawings', 'videos'].map(
      (kind) => `https://docs.google.com/${kind}/d/${file}/edit`,
    ),
    `https://docs.google.com/document/d/${file}`,
    `https://docs.google.com/document/d/${file}/edit?usp=sharing&ouid=123#heading=h.abc`,
    `https://docs.google.com/document/u/1/d/${file}/mobilebasic`,
    `https://docs.google.com/a/example.com/spreadsheets/d/${file}/edit#gid=0`,
    `https://docs.google.com/spreadsheets/d/${file}/export?format=csv&gid=0`,
    `https://docs.google.com/spreadsheets/ccc?key=${file}`,
    `https://drive.google.com/file/d/${file}/view?usp=drive_link`,
    `https://drive.google.com/file/u/0/d/${file}/preview`,
    `https://drive.google.com/open?id=${file}&usp=drive_fs`,
    `https://drive.google.com/uc?export=download&id=${file}`,
    `https://drive.google.com/thumbnail?id=${file}&sz=w400`,
    `https://drive.usercontent.google.com/download?id=${file}&export=download`,
    `https://drive.google.com/drive/folders/${file}`,
    `https://drive.google.com/drive/u/0/folders/${file}?usp=sharing`,
    `https://drive.google.com/drive/mobile/folders/${file}`,
    `https://drive.google.com/#folders/${file}`,
    `https://script.google.com/home/projects/${file}/edit`,
    `https://colab.research.google.com/drive/${file}`,
    `https://www.googleapis.com/drive/v3/files/${file}?alt=media`,
    `https://www.google.com/url?q=${encodeURIComponent(`https://docs.google.com/document/d/${file}/edit`)}&sa=D`,
    `drive.google.com/file/d/${file}/view`,
    ` <https://docs.google.com/document/d/${file}/edit> `,
  ])('%s', async (url) => {
    const { drive, sent } = recording();
    await failure(drive.files.get({ fileId: url }));
    expect(sent[0]).toMatch(new RegExp(`^/drive/v3/files/${file}\\?`));
  });

  test('every parameter that accepts a file', async () => {
    const { drive, sent } = recording();
    const folder = `https://drive.google.com/drive/folders/${file}`;
    await failure(drive.files.create({ name: 'x', mimeType: 'text/plain', parents: [folder] }));
    await failure(drive.files.update({ fileId: file, addParents: `${folder},root`, removeParents: folder }));
    await failure(drive.drives.get({ driveId: folder }));
    await failure(drive.files.list({ driveId: folder }));
    await failure(drive.permissions.list({ fileId: folder }));
    await failure(drive.files_export.download({ fileId: folder, mimeType: 'text/csv' }));
    await failure(drive.files.list({ driveId: 'https://drive.google.com/drive/my-drive' }));
    expect(sent.join('\n')).not.toContain('google.com');
    expect(sent.filter((request) => request.includes(file)).length).toBeGreaterThanOrEqual(6);
    expect(sent.find((request) => request.includes('addParents'))).toContain(`addParents=${file},root`);
    expect(sent.at(-1)).toContain('driveId=root');
  });

  test("a comment's link", async () => {
    const { drive, sent } = recording();
    const url = `https://docs.google.com/document/d/${file}/edit?disco=AAAABzGnNoc`;
    await failure(drive.comments.get({ fileId: url, commentId: url }));
    expect(sent[0]).toContain(`/files/${file}/comments/AAAABzGnNoc`);
  });
});

describe('Google Drive rejects', () => {
  test.each([
    [`https://drive.google.com/file/d/${file}/view?resourcekey=0-aBcDeF`, `fileId '${file}', resourceKey '0-aBcDeF'`],
    ['https://docs.google.com/document/d/e/2PACX-1vQabc/pub', 'published document'],
    ['https://docs.google.com/forms/d/e/1FAIpQLSabc/viewform', 'published document'],
    ['https://drive.google.com/drive/recent', 'does not contain the id'],
    ['https://example.com/file/d/abc', 'another site'],
    ['https://', 'does not contain the id'],
  ])('%s', async (url, problem) => {
    const { drive, sent } = recording();
    const error = await failure(drive.files.get({ fileId: url }));
    expect([error.code, error.issues?.[0]?.path]).toEqual(['invalid_params', 'fileId']);
    expect(error.message).toContain(problem);
    expect(error.message).toContain("the file's id, such as");
    expect(sent).toEqual([]);
  });

  test('a URL where another id is expected', async () => {
    const { drive, sent } = recording();
    const url = `https://docs.google.com/document/d/${file}/edit`;
    for (const call of [
      drive.permissions.get({ fileId: file, permissionId: url }),
      drive.comments.get({ fileId: file, commentId: url }),
      drive.replies.get({ fileId: file, commentId: 'a', replyId: url }),
      drive.revisions.get({ fileId: file, revisionId: url }),
      drive.files.update({ fileId: file, addParents: 'https://example.com/x' }),
    ]) {
      expect((await failure(call)).code).toBe('invalid_params');
    }
    expect(sent).toEqual([]);
  });
});

describe('Linear', () => {
  const issue = 'https://linear.app/acme/issue/ENG-123/sign-in-fails-on-safari';
  const project = 'https://linear.app/acme/project/faster-search-0a1b2c3d4e5f/overview';

  test.each([
    ['issues', 'get', { id: issue }, 'ENG-123'],
    ['issues', 'get', { id: 'https://linear.app/acme/issue/ENG-123' }, 'ENG-123'],
    ['issues', 'get', { id: `${issue}#comment-1a2b3c4d` }, 'ENG-123'],
    ['issues', 'update', { id: issue, priority: 1 }, 'ENG-123'],
    ['comments', 'list', { issueId: issue }, 'ENG-123'],
    ['comments', 'create', { issueId: issue, body: 'x' }, 'ENG-123'],
    ['projects', 'get', { id: project }, '0a1b2c3d4e5f'],
    ['projects', 'update', { id: 'linear.app/acme/project/0a1b2c3d4e5f', name: 'x' }, '0a1b2c3d4e5f'],
    ['teams', 'get', { id: 'https://linear.app/acme/team/ENG/active' }, 'ENG'],
  ] as const)('takes the id out of the URL in %s.%s', async (entity, action, params, id) => {
    const { linear, sent } = recording();
    await failure((linear as any).execute(entity, action, params));
    expect(sent[0]).toContain(`"${id}"`);
    expect(sent[0]).not.toContain('linear.app');
  });

  test.each([
    ['issues', 'get', { id: project }, 'identifier such as ENG-123'],
    ['issues', 'get', { id: 'https://linear.app/acme/view/my-issues-0a1b2c3d4e5f' }, 'identifier such as ENG-123'],
    ['projects', 'get', { id: issue }, "a project's id, slug or URL"],
    ['teams', 'get', { id: 'https://linear.app/acme/settings/members' }, "a team's id or key"],
    ['users', 'get', { id: 'https://linear.app/acme/profiles/ada' }, 'an id as returned by Linear'],
    ['comments', 'get', { id: `${issue}#comment-1a2b3c4d` }, 'an id as returned by Linear'],
    ['issues', 'create', { teamId: 'https://linear.app/acme/team/ENG/active', title: 'x' }, 'an id as returned'],
    ['issues', 'update', { id: 'ENG-1', projectId: project }, 'an id as returned by Linear'],
    ['issues', 'update', { id: 'ENG-1', parentId: issue }, 'an id as returned by Linear'],
    ['issues', 'list', { filter: { project: { id: { eq: project } } } }, 'an id as returned by Linear'],
  ] as const)('rejects a URL without the id in %s.%s', async (entity, action, params, expected) => {
    const { linear, sent } = recording();
    const error = await failure((linear as any).execute(entity, action, params));
    expect([error.code, sent]).toEqual(['invalid_params', []]);
    expect(error.message).toContain('is a URL that does not contain the id');
    expect(error.message).toContain(expected);
  });
});

describe('Gong', () => {
  const url = 'https://us-55616.app.gong.io/call?id=7782342274025937895&highlights=%5B%5D';

  test('takes the id out of the URL of a call', async () => {
    const { gong, sent } = recording();
    await failure(gong.calls.get({ id: url }));
    await failure(gong.call_transcripts.list({ filter: { callIds: [url] } }));
    expect(sent.length).toBeGreaterThanOrEqual(2);
    for (const request of sent) {
      expect(request).toContain('7782342274025937895');
      expect(request).not.toContain('app.gong.io');
    }
  });

  test('rejects other URLs', async () => {
    const { gong, sent } = recording();
    for (const call of [
      gong.calls.get({ id: 'https://app.gong.io/library/public' }),
      gong.calls.get({ id: 'https://app.gong.io/e/c-share/?tkn=abc' }),
      gong.library_folders.list({ workspaceId: url }),
    ]) {
      const error = await failure(call);
      expect(error.code).toBe('invalid_params');
      expect(error.message).toContain('is a URL that does not contain the id');
    }
    expect(sent).toEqual([]);
  });
});

describe('Granola', () => {
  test("rejects the URL of a note, which contains another id, and takes the id out of the API's", async () => {
    const { granola, sent } = recording();
    const uuid = '0f4a6e0e-5d3c-4f8a-9b1d-2c3e4f5a6b7c';
    for (const note_id of [`https://notes.granola.ai/d/${uuid}`, `notes.granola.ai/t/${uuid}`]) {
      const error = await failure(granola.notes.get({ note_id }));
      expect(error.code).toBe('invalid_params');
      expect(error.message).toContain('an id from notes.list, which starts with not_');
    }
    expect(sent).toEqual([]);
    await failure(granola.notes.get({ note_id: 'https://public-api.granola.ai/v1/notes/not_1d3tmYTlCICgjy' }));
    expect(sent[0]).toContain('/v1/notes/not_1d3tmYTlCICgjy');
  });
});
