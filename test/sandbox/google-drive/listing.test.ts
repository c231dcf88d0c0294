import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { createFinder, createRequester, list } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const ask = createRequester(sandbox);
const find = createFinder(ask);
const names = async (q: string, more: Record<string, string> = {}) =>
  ((await ask(list({ q, pageSize: '1000', ...more }))).json.files ?? []).map(({ name }: any) => name);

describe('files.list', () => {
  it('returns the kind, id, name and type of a hundred files by default', async () => {
    const { json, headers } = await ask('/drive/v3/files');
    expect(headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(Object.keys(json).sort()).toEqual(['files', 'incompleteSearch', 'kind', 'nextPageToken']);
    expect(json).toMatchObject({ kind: 'drive#fileList', incompleteSearch: false });
    expect(json.files).toHaveLength(100);
    expect(Object.keys(json.files[0]).sort()).toEqual(['id', 'kind', 'mimeType', 'name']);
  });

  it('continues from the same position despite added and removed files', async () => {
    const own = createSandbox({ now: () => noon });
    const other = createRequester(own);
    const first = await other(list({ pageSize: '5', orderBy: 'name' }));
    const rest = await other(list({ pageSize: '1000', orderBy: 'name' }));
    await other(`/drive/v3/files/${first.json.files[0].id}`, { method: 'DELETE' });
    const second = await other(list({ pageSize: '5', orderBy: 'name', pageToken: first.json.nextPageToken }));
    expect(second.json.files).toEqual(rest.json.files.slice(5, 10));
  });

  it('omits the next page token if the field mask does', async () => {
    const { json } = await ask(list({ fields: 'files(id)', pageSize: '2' }));
    expect(Object.keys(json)).toEqual(['files']);
    expect(Object.keys(json.files[0])).toEqual(['id']);
  });

  it.each([{ q: 'trashed = false' }, { orderBy: 'name' }, { corpora: 'user' }, { spaces: 'drive' }])(
    'rejects a token with %j changed',
    async (changed) => {
      const { nextPageToken } = (await ask(list({ pageSize: '2' }))).json;
      const refused = await ask(list({ pageSize: '2', pageToken: nextPageToken, ...changed }));
      expect([refused.status, refused.reason, refused.json.error.errors[0].location]).toEqual([
        400,
        'invalid',
        'pageToken',
      ]);
    },
  );

  it('rejects foreign tokens, and its own after several hours', async () => {
    const own = createSandbox({ now: () => noon });
    const { nextPageToken } = (await createRequester(own)(list({ pageSize: '2' }))).json;
    own.clock.advance(3 * 3_600_000);
    own.expireTokens();
    expect((await ask(list({ pageToken: 'nonsense' }))).status).toBe(400);
    const later = createSandbox({ now: () => noon + 7 * 3_600_000 });
    expect((await createRequester(later)(list({ pageSize: '2', pageToken: nextPageToken }))).reason).toBe('invalid');
  });

  it.each([
    ['0', 'invalidParameter'],
    ['1001', 'invalidParameter'],
    ['many', 'invalid'],
    ['2.0', 'invalid'],
  ])('rejects a page size of %s', async (pageSize, reason) => {
    expect(await ask(list({ pageSize }))).toMatchObject({ status: 400, reason });
  });

  it('rejects invalid booleans', async () => {
    const refused = await ask(list({ supportsAllDrives: 'perhaps' }));
    expect(refused.json.error.message).toBe('Invalid value at \'supports_all_drives\' (TYPE_BOOL), "perhaps"');
  });

  it.each(['empty_page', 'half_page', 'endless_cursor', 'null_cursor'] as const)(
    '%s returns a misleading page once',
    async (kind) => {
      const own = createSandbox({ now: () => noon, faults: [{ kind }] });
      const strange = (await createRequester(own)(list({ pageSize: '10' }))).json;
      const plain = (await createRequester(own)(list({ pageSize: '10' }))).json;
      expect(plain.files).toHaveLength(10);
      if (kind === 'empty_page') {
        expect(strange.files).toEqual([]);
        const next = await createRequester(own)(list({ pageSize: '10', pageToken: strange.nextPageToken }));
        expect(next.json.files).toEqual(plain.files);
      }
      if (kind === 'half_page') expect(strange.files).toHaveLength(5);
      if (kind === 'null_cursor') expect(strange.nextPageToken).toBe('');
      expect(strange).toHaveProperty('nextPageToken');
    },
  );
});

describe('searches', () => {
  it.each([
    ["name = 'Budget'", ['Budget']],
    ["name contains 'budg'", ['Budget', 'Budget (shortcut)']],
    ["name contains 'udget'", []],
    ["name contains '四半期'", ['議事録 四半期レビュー']],
    ["name = 'O\\'Brien\\'s notes.txt'", ["O'Brien's notes.txt"]],
    ["name = 'back\\\\slash.txt'", ['back\\slash.txt']],
    ["name = 'Umsatz 1/2026.csv'", ['Umsatz 1/2026.csv']],
    ["name='duplicate.txt'", ['duplicate.txt', 'duplicate.txt']],
    ["mimeType = 'application/vnd.google-apps.form'", ['Customer survey']],
    ["mimeType contains 'application/vnd.google-apps.sc' and not name = 'x'", ['Roadmap reminders']],
    ["name = 'Budget' or name = 'Roadmap' and mimeType = 'text/plain'", []],
    ["name = 'Budget' or (name = 'Roadmap' and mimeType = 'text/plain')", ['Budget']],
    ["(not (name != 'Budget'))", ['Budget']],
    ["fullText contains 'hates Friday' or fullText contains 'paper accountants'", ['Old positioning']],
    ['fullText contains \'"The apostrophe has"\'', ["O'Brien's notes.txt"]],
    ["properties has { key='phase' and value='two' }", ['config.yaml']],
    ["appProperties has { key='phase' and value='two' }", []],
    ["sharedWithMe and mimeType = 'application/pdf'", ['Board minutes.pdf', 'invoice_overdue.pdf']],
    ["'maren.holt@fernhill.example' in owners", ['Board minutes.pdf', 'Salary bands']],
    [
      "'dana.whitfield@fernhill.example' in writers and name contains 'kick' and 'me' in owners",
      Array(4).fill('Kick-off notes'),
    ],
    ["visibility = 'anyoneWithLink'", ['Public handbook']],
    ["trashed = true and mimeType = 'text/plain'", ['scratch.txt']],
    ['trashed = true and starred = true', []],
  ])('%s', async (q, expected) => {
    expect((await names(q)).sort()).toEqual(expected);
  });

  it('find files by parent folder, given as an id or as root', async () => {
    const folder = await find('Names');
    expect(await names(`'${folder}' in parents`)).toHaveLength(10);
    expect(await names(`'root' in parents and trashed=false`)).toContain('Customers');
    expect(await names(`'root' in parents and trashed=false`)).not.toContain('scratch.txt');
    expect(await names("'me' in owners and starred = true")).toContain('Customers');
  });

  it('find files by time, assuming UTC if no time zone is given', async () => {
    const recent = await names(
      "modifiedTime > '2026-05-01T12:00:00' and mimeType != 'application/vnd.google-apps.folder'",
    );
    expect(recent.length).toBeGreaterThan(2);
    expect(
      await names("modifiedTime >= '2026-05-01T12:00:00Z' and mimeType != 'application/vnd.google-apps.folder'"),
    ).toEqual(expect.arrayContaining(recent));
    expect(await names("modifiedTime > '2026-05-04T14:00:00+02:00'")).toEqual([]);
    expect(await names("createdTime < '2025-02-01'")).toContain('Agenda');
  });

  it('treat the contents of a trashed folder as trashed', async () => {
    expect(await names("trashed = true and name = 'Agenda'")).toEqual(['Agenda']);
    const { json } = await ask(list({ q: "name = 'Agenda'", fields: 'files(trashed,explicitlyTrashed)' }));
    expect(json.files).toEqual([{ trashed: true, explicitlyTrashed: false }]);
  });

  it.each([
    "name = Budget'",
    "name = 'x",
    'name',
    "name > 'x'",
    "title = 'x'",
    "trashed = 'true'",
    "modifiedTime > 'yesterday'",
    "'x' in folders",
    "name = 'x' and",
    "(name = 'x'",
    "name = 'x' name = 'y'",
    'mimeType contains',
    "fullText = 'x'",
  ])('rejects %s', async (q) => {
    const refused = await ask(list({ q }));
    expect(refused.json.error).toMatchObject({
      code: 400,
      message: 'Invalid Value',
      errors: [{ reason: 'invalid', location: 'q', locationType: 'parameter' }],
    });
  });

  it('reject an unknown folder without repeating its id', async () => {
    const refused = await ask(list({ q: "'nowhere' in parents" }));
    expect([refused.status, refused.json.error.message]).toEqual([404, 'File not found: .']);
  });
});

describe('orders', () => {
  it('sort by several keys, in either direction', async () => {
    const byName = await names("name contains 'expenses'", { orderBy: 'name' });
    expect(byName).toEqual([...byName].sort());
    expect(await names("name contains 'expenses'", { orderBy: 'name desc' })).toEqual([...byName].reverse());
    const { json } = await ask(
      list({ orderBy: 'folder,modifiedTime desc', pageSize: '1000', fields: 'files(mimeType,modifiedTime)' }),
    );
    const folders = json.files.map(({ mimeType }: any) => mimeType.endsWith('.folder'));
    expect(folders.lastIndexOf(true)).toBeLessThan(folders.indexOf(false));
    const times = json.files.slice(folders.indexOf(false)).map(({ modifiedTime }: any) => modifiedTime);
    expect(times).toEqual([...times].sort().reverse());
  });

  it.each([
    'createdTime',
    'folder',
    'modifiedByMeTime',
    'modifiedTime',
    'name',
    'name_natural',
    'quotaBytesUsed',
    'recency',
    'sharedWithMeTime',
    'starred',
    'viewedByMeTime',
  ])('supports %s', async (orderBy) => {
    expect((await ask(list({ orderBy }))).status).toBe(200);
  });

  it('reject unknown and duplicate keys, and cannot be combined with a full-text search', async () => {
    expect(await ask(list({ orderBy: 'size' }))).toMatchObject({ status: 400, reason: 'invalid' });
    expect(await ask(list({ orderBy: 'name,name desc' }))).toMatchObject({
      status: 403,
      reason: 'orderByContainsDuplicateSortKeys',
    });
    expect(await ask(list({ orderBy: 'name', q: "fullText contains 'x'" }))).toMatchObject({
      status: 403,
      reason: 'forbidden',
    });
  });
});

describe('shared drives in a list', () => {
  const everywhere = { includeItemsFromAllDrives: 'true', supportsAllDrives: 'true' };

  it('are excluded unless both flags are set', async () => {
    expect(await names("name contains 'Interview'")).toEqual([]);
    expect(await names("name contains 'Interview'", { supportsAllDrives: 'true' })).toEqual([]);
    expect(await names("name contains 'Interview'", everywhere)).toHaveLength(9);
    expect(await ask(list({ includeItemsFromAllDrives: 'true' }))).toMatchObject({
      status: 403,
      reason: 'supportsTeamDrivesRequired',
    });
  });

  it('can be searched individually', async () => {
    const { drives } = (await ask('/drive/v3/drives')).json;
    const driveId = drives.find(({ name }: any) => name === 'Engineering').id;
    const found = await names('trashed = false', { ...everywhere, corpora: 'drive', driveId });
    expect(found).toHaveLength(10);
    expect(await ask(list({ driveId, ...everywhere }))).toMatchObject({
      status: 403,
      reason: 'teamDriveIdRequiresTeamDriveCorpora',
    });
    expect(await ask(list({ corpora: 'drive', ...everywhere }))).toMatchObject({
      status: 403,
      reason: 'teamDriveIdRequiresTeamDriveCorpora',
    });
    expect(await ask(list({ corpora: 'drive', driveId }))).toMatchObject({
      status: 403,
      reason: 'teamDrivesIncludeItemsRequired',
    });
    expect(await ask(list({ corpora: 'drive', driveId: '0Anowhere', ...everywhere }))).toMatchObject({
      status: 404,
      reason: 'notFound',
    });
  });

  it('return incomplete results if all are searched together', async () => {
    const { json } = await ask(list({ corpora: 'allDrives', ...everywhere }));
    expect(json.incompleteSearch).toBe(true);
    expect(await ask(list({ corpora: 'moon' }))).toMatchObject({ status: 400, reason: 'invalid' });
    expect(await ask(list({ spaces: 'moon' }))).toMatchObject({ status: 400, reason: 'invalid' });
    expect((await ask(list({ spaces: 'appDataFolder' }))).json.files).toEqual([]);
  });
});
