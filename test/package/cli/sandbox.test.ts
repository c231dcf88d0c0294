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
    if (printed.includes('export ') || (options.includes('--json') && printed.endsWith('\n'))) break;
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
  test('prints where it listens, and lists credentials there, without private keys', async () => {
    const printed = await started();
    const [, url = ''] = /^Sandbox listening on (\S+),/.exec(printed) ?? [];
    expect(printed.split('\n').length).toBeLessThan(6);
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    const listed = await response.text();
    expect(listed).not.toContain('PRIVATE KEY');
    expect(listed).toContain('credentials_json  (google-drive.service_account.json, written by --keys <folder>)');
    expect(listed).toContain(`linear: ${url}/linear`);
    expect(listed).toContain('lin_api_sandbox_full_access');
    expect(listed).toMatch(/property_id\n {4}website +\d+\n/);
    expect(Math.max(...listed.split('\n').map(({ length }) => length))).toBeLessThan(120);
  });

  test('writes private key files, and prints their folder', async () => {
    const { path, done } = await tempFolder();
    onTestFinished(done);
    const open = join(path, 'google-drive.service_account.json');
    writeFileSync(open, '');
    chmodSync(open, 0o644);
    const printed = await started('--keys', path);
    expect(printed).not.toContain('PRIVATE KEY');
    expect(printed).toContain(`Key files are in ${path}.`);
    const names = readdirSync(path).sort();
    expect(names).toEqual([
      'google-analytics.service_account.json',
      'google-analytics.service_account_no_access.json',
      'google-drive.delegated.json',
      'google-drive.delegated_readonly.json',
      'google-drive.service_account.json',
    ]);
    for (const name of names) {
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
