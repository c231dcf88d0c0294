import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSandbox } from 'agent-connectors-sandbox';
import { type SandboxServer, serve as serveSandbox } from 'agent-connectors-sandbox/server';
import { type CreateOptions, type RunningService, serve } from 'agent-connectors-service';
import { expect } from 'vitest';
import { recordLines } from '../../service/recorder.js';
import { checkAppearance, chromiumBrowser, type MonitoredPage, openMonitoredPage } from '../chromium.js';

/** A setup that the command line is waiting for. */
export interface StartedSetup {
  readonly url: string;
  /** The command's final output. */
  result(): Promise<any>;
}

/** Vendors over HTTP, a service, the command line and a browser. */
export interface SetupEnvironment {
  readonly vendors: SandboxServer;
  readonly service: RunningService;
  /** Starts `connectors create` without credentials. */
  beginSetup(name: string, type?: string): Promise<StartedSetup>;
  /** Runs a command and returns its output. */
  command(...words: string[]): Promise<any>;
  page(width: number): Promise<MonitoredPage>;
  /** Checks a page, which must not contain secrets. */
  inspectPage(watched: MonitoredPage, name: string): Promise<void>;
  /** All logs, output and requested URLs, and every command with its arguments. */
  readonly output: string[];
  /** Texts that must not occur in `output`. */
  readonly secrets: string[];
  close(): Promise<void>;
}

const types = ['linear', 'gong', 'granola', 'google-drive', 'google-analytics'] as const;
const cli = fileURLToPath(new URL('../../../bin/agent-connectors.js', import.meta.url));

/** Starts everything. */
export async function startSetupEnvironment(options: CreateOptions = {}): Promise<SetupEnvironment> {
  const vendors = await serveSandbox({ sandbox: createSandbox({ seed: 7, scale: 0.1 }) });
  const { lines: output, logger } = recordLines();
  const service = await serve({
    dataFolder: ':memory:',
    dev: true,
    port: 0,
    replicate: false,
    endpoints: Object.fromEntries(types.map((type) => [type, `${vendors.url}/${type}`])),
    logger,
    ...options,
  });
  const browser = await chromiumBrowser();
  const home = mkdtempSync(join(tmpdir(), 'setup-home-'));
  const environment = { PATH: process.env.PATH ?? '', HOME: home, ...(await tenantOf(service)) };
  const secrets = secretsIn(vendors.sandbox.vendors);

  const startCommand = (words: readonly string[]) => {
    const child = spawn(process.execPath, [cli, ...words], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = { out: '', err: '' };
    child.stdout.on('data', (text) => {
      printed.out += text;
    });
    child.stderr.on('data', (text) => {
      printed.err += text;
    });
    // Awaited from the start, since `result()` may be called after the process has ended.
    const ended = once(child, 'close').then(([code]) => {
      output.push(child.spawnargs.join(' '), printed.out, printed.err);
      if (code !== 0) throw new Error(printed.err);
      return JSON.parse(printed.out);
    });
    ended.catch(() => {});
    return { printed, ended };
  };

  return {
    vendors,
    service,
    output,
    secrets,
    async beginSetup(name, type) {
      const argument = JSON.stringify({ name, ...(type !== undefined && { connector_type: type }) });
      const { printed, ended } = startCommand(['connectors', 'create', '--no-browser', argument]);
      const address = () => /http:\S+\/setup\/\S+/.exec(printed.err)?.[0];
      await Promise.race([ended, expect.poll(address, { timeout: 30_000 }).toBeDefined()]);
      return { url: address()!, result: () => ended };
    },
    command: (...words) => startCommand(words).ended,
    page: (width) => openMonitoredPage(browser, [service.url, vendors.url], { viewport: { width, height: 900 } }),
    async inspectPage({ page, requestedUrls, faults }, name) {
      await checkAppearance(page, name);
      output.push(await page.content(), ...requestedUrls);
      expect(faults).toEqual([]);
    },
    async close() {
      await browser.close();
      await service.close();
      await vendors.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function tenantOf({ url, state }: RunningService) {
  const { id } = await state.organizations.create('Acme');
  await state.workspaces.create(id, 'default');
  const { client, secret } = await state.clients.create('Acme program', [id]);
  return {
    AGENT_CONNECTORS_BASE_URL: url,
    AGENT_CONNECTORS_CLIENT_ID: client.id,
    AGENT_CONNECTORS_CLIENT_SECRET: secret,
  };
}

const secretNames = /^(api_key|access_key_secret|client_secret|refresh_token|access_token|private_key)$/;

/** All values whose names mark them as secret, including those inside key files. */
function secretsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') {
    if (name === 'credentials_json') return secretsIn(JSON.parse(value));
    // The line breaks in a key file can be escaped; a line from its middle contains none.
    return secretNames.test(name) ? [name === 'private_key' ? value.split('\n')[5]! : value] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.entries(value).flatMap(([key, one]) => secretsIn(one, key)))];
}
