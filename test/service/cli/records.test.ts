import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from 'agent-connectors-service';
import { expect, it } from 'vitest';
import { createRequester, tenantOf } from '../http/setup.js';
import { newKey } from '../keys.js';
import { hitsOf, searchEntity, smallSandbox, waitForNewestJob } from '../replication/setup.js';
import { newFolder } from '../state/fixtures.js';
import { runToEnd } from './terminal.js';

/** A folder with a replicated connector, and helpers for it. */
async function replicatedFolder() {
  const sandbox = smallSandbox();
  const [folder, key] = [newFolder(), newKey()];
  const options = { dataFolder: folder, key, fetch: sandbox.fetch, embedders: [] };
  const service = await createService(options);
  const acme = await tenantOf(service, 'Acme');
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  await waitForNewestJob(acme, id);
  const issues = hitsOf(await searchEntity(acme, id, 'issues'));
  await service.close();
  const command = (given: readonly string[], input = '') =>
    runToEnd([...given, '--data', folder], { environment: { AGENT_CONNECTORS_KEY: key }, input });
  return { folder, options, acme, id, issues, command };
}

it('all records can be exported to a file, which is never overwritten, and imported into an empty store', async () => {
  const { folder, options, acme, id, issues, command } = await replicatedFolder();
  const file = join(newFolder(), 'records.jsonl');
  const exported = await command(['export', file, '--json']);
  expect([exported.code, exported.error]).toEqual([0, '']);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  expect(JSON.parse(exported.out)).toEqual({
    records: lines.length - 1,
    vectors: 0,
    file,
    entities: expect.any(Array),
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = await command(['export', file]);
  expect([again.code, again.error]).toEqual([1, expect.stringContaining('already')]);
  expect((await command(['export', '-'])).out.trim().split('\n')).toEqual(lines);

  const refused = await command(['import', file]);
  expect([refused.code, refused.error]).toEqual([1, expect.stringContaining('already has records')]);
  for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `records.db${end}`), { force: true });
  const imported = await command(['import', '-', '--json'], readFileSync(file, 'utf8'));
  expect([imported.code, imported.error]).toEqual([0, '']);
  expect(JSON.parse(imported.out)).toEqual({ records: lines.length - 1, left: 0, vectors: 0 });

  const service = await createService({ ...options, replicate: false });
  try {
    const ask = createRequester(service, { authorization: `Bearer ${acme.token}` });
    expect(hitsOf(await searchEntity({ ask }, id, 'issues'))).toEqual(issues);
    const described = issues.find(({ description }) => description?.length > 60);
    const prompt = described.description.slice(0, 60);
    const hits = hitsOf(await searchEntity({ ask }, id, 'issues', { semantic: { prompt } }));
    expect(hits.map(({ entity }) => entity.id)).toContain(described.id);
  } finally {
    await service.close();
  }
});

it('exported texts can contain any line separator', async () => {
  const { folder, command, issues } = await replicatedFolder();
  const file = join(newFolder(), 'records.jsonl');
  await command(['export', file]);
  const text = 'one\u2028two\u2029three\u0085four\r\nfive';
  const [header, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const changed = lines.map((line) => {
    const { record, ...rest } = JSON.parse(line);
    return JSON.stringify({ ...rest, record: { ...record, ...(record.title && { title: text }) } });
  });
  for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `records.db${end}`), { force: true });
  const imported = await command(['import', '-', '--json'], [header, ...changed].join('\r\n'));
  expect([imported.code, imported.error]).toEqual([0, '']);
  const again = (await command(['export', '-'])).out.trim().split('\n').slice(1);
  expect(again.filter((line) => JSON.parse(line).record.title === text)).toHaveLength(issues.length);
});

it('a folder without a database is rejected, and a missing folder is not created', async () => {
  const folder = join(newFolder(), 'nowhere');
  for (const command of ['export', 'import']) {
    const { code, error } = await runToEnd([command, '-', '--data', folder]);
    expect([code, error]).toEqual([1, expect.stringContaining('no database')]);
  }
  expect(existsSync(folder)).toBe(false);
  const bare = await runToEnd(['export', '--data', newFolder()]);
  expect(bare.code).toBe(1);
});

it('all records can be exported as tables, to a new folder', async () => {
  const { id, issues, command } = await replicatedFolder();
  const folder = join(newFolder(), 'tables');
  const exported = await command(['export-tables', folder, '--json']);
  expect([exported.code, exported.error]).toEqual([0, '']);
  const { tables, records } = JSON.parse(exported.out);
  const file = join(folder, 'linear.issues.jsonl');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows).toHaveLength(tables['linear.issues']);
  expect(records).toBeGreaterThan(rows.length);
  expect(new Set(rows.map((row) => Object.keys(row).join())).size).toBe(1);
  expect(rows.every((row) => row.connector_id === id)).toBe(true);
  expect(rows.map((row) => row.title)).toEqual(expect.arrayContaining(issues.map(({ title }) => title)));
  expect((await command(['export-tables', folder])).code).toBe(1);
  expect((await command(['export-tables'])).error).toContain('takes one folder');
});

it('an export says which records are missing', async () => {
  const sandbox = smallSandbox();
  const [folder, key] = [newFolder(), newKey()];
  sandbox.faults.add({ kind: 'refused', vendor: 'linear', rootField: 'comments', count: Number.POSITIVE_INFINITY });
  const service = await createService({ dataFolder: folder, key, fetch: sandbox.fetch, embedders: [] });
  const acme = await tenantOf(service, 'Acme');
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key, {
    replication_config: { entities: ['teams', 'comments'] },
  });
  expect(await waitForNewestJob(acme, id)).toMatchObject({ status: 'failed' });
  await service.close();
  const command = (...given: string[]) =>
    runToEnd([...given, '--data', folder], { environment: { AGENT_CONNECTORS_KEY: key } });
  for (const [name, target] of [
    ['export', join(newFolder(), 'records.jsonl')],
    ['export-tables', join(newFolder(), 'tables')],
  ] as const) {
    const { code, error, out } = await command(name, target, '--json');
    expect([code, error]).toEqual([0, expect.stringMatching(/^Incomplete: comments of .+\.\n$/)]);
    expect(JSON.parse(out).entities).toEqual([
      expect.objectContaining({ connector_id: id, entity: 'teams', complete: true, synced_at: expect.any(String) }),
      expect.objectContaining({
        entity: 'comments',
        complete: false,
        synced_at: null,
        missing: expect.arrayContaining([expect.objectContaining({ reason: 'scope' })]),
      }),
    ]);
  }
  expect((await command('export', '-')).error).toMatch(/^Incomplete: comments/);
});
