import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox } from 'agent-connectors-sandbox';
import { createService } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { execute, tenantOf } from '../../service/http/setup.js';
import { newFolder } from '../../service/state/fixtures.js';

/** A 16 MB file system, or undefined if this user is not allowed to mount one. */
function smallDisk(): string | undefined {
  const folder = newFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=700', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

/** Uses up all remaining space, down to the last page. */
function fill(path: string): void {
  for (let size = 2 ** 20; size >= 512; size /= 2) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

test('a full disk only affects writes, which are rejected before they are sent and work again once there is space', async ({
  skip,
}) => {
  const folder = smallDisk();
  if (folder === undefined) return skip('this user may not mount a file system');
  const sandbox = createSandbox({ seed: 7, scale: 0.1 });
  const service = await createService({
    dataFolder: join(folder, 'data'),
    createKey: true,
    replicate: false,
    fetch: sandbox.fetch,
  });
  onTestFinished(() => service.close());
  const tenant = await tenantOf(service, 'Acme');
  const id = await tenant.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const teamId = (await execute(tenant, id, 'teams', 'list')).body.result[0].id;
  const create = (title: string) =>
    execute(tenant, id, 'issues', 'create', { teamId, title }, { headers: { 'idempotency-key': title } });
  const titles = async () =>
    (await execute(tenant, id, 'issues', 'list', { first: 250 })).body.result.map(({ title }: any) => title);

  const acknowledged: string[] = [];
  const refused: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    expect((await create(`before ${round}`)).status).toBe(200);
    acknowledged.push(`before ${round}`);
    fill(join(folder, 'filling'));
    sandbox.requests.clear();
    for (let n = 0; refused.length < 4 * (round + 1) && n < 200; n += 1) {
      const title = `full ${round}.${n}`;
      const { status, body } = await create(title);
      // Writes succeed while the log has room for them.
      if (status === 200) acknowledged.push(title);
      else {
        expect([status, body.code, body.retryable, body.vendor]).toEqual([503, 'network', true, null]);
        refused.push(title);
      }
    }
    expect(refused).toHaveLength(4 * (round + 1));
    const sent = sandbox.requests.filter(({ rootField }) => rootField === 'issueCreate').length;
    expect(sent).toBe(acknowledged.filter((title) => title.startsWith(`full ${round}`)).length);
    // Reads and live calls still work.
    expect((await execute(tenant, id, 'teams', 'list')).status).toBe(200);
    expect((await tenant.ask('GET', '/api/v1/integrations/connectors')).status).toBe(200);
    const renamed = await tenant.ask('PUT', `/api/v1/integrations/connectors/${id}`, {
      json: { name: 'x'.repeat(90) },
    });
    expect([renamed.status, renamed.body.code, renamed.body.retryable]).toEqual([503, 'network', true]);
    expect(await titles()).not.toContain(refused.at(-1));
    rmSync(join(folder, 'filling'));
    const again = await create(refused.at(-1)!);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
    acknowledged.push(refused.at(-1)!);
  }
  for (const title of acknowledged) expect((await create(title)).status).toBe(200);
  const there = await titles();
  for (const title of acknowledged) expect(there.filter((one: string) => one === title)).toHaveLength(1);
  expect((await tenant.ask('GET', '/api/v1/audit/verify')).body).toMatchObject({ broken: null });
  console.log(`measured: ${acknowledged.length} writes acknowledged, ${refused.length} refused on a full disk`);
}, 120_000);
