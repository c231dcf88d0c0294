import { describe, expect, test } from 'vitest';
import { connectorOnSandbox } from './setup.js';

const notesOf = ({ meta }: { meta: { notes?: string[] | undefined } }) => meta.notes?.join('\n') ?? '';

describe('a default exclusion or inclusion in a list of files', () => {
  test('is noted for trashed files if there are any', async () => {
    const { drive } = connectorOnSandbox();
    const all = await drive.files.list({ pageSize: 1000 });
    expect(all.data.some(({ trashed }) => trashed)).toBe(true);
    expect(notesOf(all)).toContain('trashed=false');
    const kept = await drive.files.list({ pageSize: 1000, q: 'trashed=false' });
    expect(kept.meta).not.toHaveProperty('notes');
    const trash = await drive.files.list({ pageSize: 1000, q: 'trashed = true' });
    expect(trash.data).not.toHaveLength(0);
    expect(notesOf(trash)).not.toContain('trashed');
    const none = await drive.files.list({ q: "name = 'Budget'", pageSize: 1000 });
    expect(none.data).not.toHaveLength(0);
    expect(none.meta).not.toHaveProperty('notes');
  });

  test('is noted for trashed files if the mask does not reveal whether there are any', async () => {
    const { drive } = connectorOnSandbox();
    expect(notesOf(await drive.files.list({ fields: 'files(id)' }))).toContain('trashed=false');
    expect((await drive.files.list({ fields: 'files(id)', q: 'trashed=false' })).meta).not.toHaveProperty('notes');
  });

  test('is noted for shared drives if nothing is found without them', async () => {
    const { drive } = connectorOnSandbox();
    const [shared] = (await drive.drives.list()).data;
    const q = `'${shared!.id}' in parents and trashed=false`;
    const without = await drive.files.list({ q });
    expect(without.data).toEqual([]);
    expect(notesOf(without)).toMatch(/[Ss]hared drives were not searched.*corpora.*driveId/s);
    const within = await drive.files.list({ q, driveId: shared!.id });
    expect(within.data).not.toEqual([]);
    expect(within.meta).not.toHaveProperty('notes');
    const q2 = "name = 'there is no such file' and trashed=false";
    for (const where of [{ driveId: shared!.id }, { includeItemsFromAllDrives: true }]) {
      const { data, meta } = await drive.files.list({ q: q2, ...where });
      expect(data).toEqual([]);
      expect(meta).not.toHaveProperty('notes');
    }
  });

  test('is noted for an incomplete search', async () => {
    const { drive } = connectorOnSandbox();
    const found = await drive.files.list({ corpora: 'allDrives', q: 'trashed=false' });
    expect(found.meta.incompleteSearch).toBe(true);
    expect(notesOf(found)).toMatch(/not all.*searched.*driveId/is);
  });

  test('is also in the description', () => {
    const { drive } = connectorOnSandbox();
    const { description } = drive
      .describe()
      .entities.find(({ name }) => name === 'files')!
      .actions.find(({ name }) => name === 'list')!;
    expect(description).toContain('trashed=false');
    expect(description).toContain('Shared drives');
  });
});
