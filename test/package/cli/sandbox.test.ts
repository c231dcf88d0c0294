import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from './binary.js';

const command = fileURLToPath(new URL('../../../sandbox/bin/agent-connectors-sandbox.js', import.meta.url));

/** Starts the command on a free port, and returns its output once it listens. */
async function started(...options: string[]): Promise<string> {
  const child = spawn(process.execPath, [command, '--port', '0', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
  });
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += chunk;
    if (printed.includes('Ctrl+C') || (options.includes('--json') && printed.endsWith('\n'))) break;
  }
  return printed;
}

const classes: Record<string, new (options: any) => any> = {
  linear: LinearConnector,
  granola: GranolaConnector,
  gong: GongConnector,
  'google-drive': GoogleDriveConnector,
  'google-analytics': GoogleAnalyticsConnector,
};

describe("the sandbox's command", () => {
  test('prints no private key and fits on one or two screens', async () => {
    const printed = await started();
    expect(printed).not.toContain('PRIVATE KEY');
    expect(printed).toContain('credentials_json  (a key file: --keys <folder> writes it there)');
    expect(printed).toContain('lin_api_sandbox_full_access');
    expect(printed).toMatch(/property_id\n {4}website +\d+\n/);
    // One line is meant to be pasted into a shell.
    const read = printed.split('\n').filter((line) => !/^\s*export /.test(line));
    expect(Math.max(...read.map(({ length }) => length))).toBeLessThan(120);
  });

  test('writes private key files, and prints their paths', async () => {
    const { path, done } = await tempFolder();
    onTestFinished(done);
    const open = join(path, 'google-drive.service_account.json');
    writeFileSync(open, '');
    chmodSync(open, 0o644);
    const printed = await started('--keys', path);
    expect(printed).not.toContain('PRIVATE KEY');
    const names = readdirSync(path).sort();
    expect(names).toEqual([
      'google-analytics.service_account.json',
      'google-analytics.service_account_no_access.json',
      'google-drive.delegated.json',
      'google-drive.delegated_readonly.json',
      'google-drive.service_account.json',
    ]);
    for (const name of names) {
      expect(printed).toContain(join(path, name));
      expect(statSync(join(path, name)).mode & 0o777).toBe(0o600);
      expect(JSON.parse(readFileSync(join(path, name), 'utf8'))).toMatchObject({ type: 'service_account' });
    }
  });

  test('prints credentials that all work with the connectors', async () => {
    const { vendors } = JSON.parse(await started('--json'));
    expect(Object.keys(vendors).sort()).toEqual(Object.keys(classes).sort());
    for (const [name, { url, credentials }] of Object.entries<any>(vendors)) {
      for (const [label, values] of Object.entries<any>(credentials)) {
        const make = () => new classes[name]!({ credentials: values, endpoints: url });
        expect(make, `${name}.${label}`).not.toThrow();
      }
    }
    const { regional } = vendors.gong.credentials;
    expect((await new GongConnector({ credentials: regional }).users.list()).data.length).toBeGreaterThan(0);
  });
});
