import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { createLogger } from '../common/log.js';
import { folderForFiles } from '../domain/accounts/client-folder.js';
import { type FirstClient, firstStart, writeClientFile } from '../domain/accounts/first-start.js';
import { defaults, type ServiceOptions, stateLocation } from '../options.js';
import { type RunningService, serve } from '../service.js';
import { loginLink } from '../web/console/login-link.js';
import type { Arguments } from './arguments.js';
import { formatFields, recordClient, writeOrDeleteClient } from './clients.js';
import type { Terminal } from './terminal.js';

/** Runs the service until it is stopped. Returns the exit code: 1 if a second signal interrupted the shutdown. */
export async function serveUntilStopped(
  { options, json, logLevel, printLoginLink }: Arguments,
  terminal: Terminal,
): Promise<number> {
  const readable = terminal.interactive && !json;
  const logger = createLogger({ level: logLevel, readable, destination: { write: (line) => terminal.out(line) } });
  const stop = stopSignals(terminal);
  let ignoreReload = () => {};
  let temporary: string | undefined;
  try {
    const service = await serve({ ...options, logger }).catch((error) => {
      throw portInUse(error, options) ?? error;
    });
    allowGrowth();
    ignoreReload = terminal.onReload(() => {
      service.reload().then(
        () => logger.info({}, 'reloaded'),
        // The service generates this message, which never contains a key.
        (error) => logger.error({ reason: error.message }, 'not reloaded'),
      );
    });
    try {
      const files = folderForFiles(stateLocation(options));
      if (files.temporary) temporary = files.folder;
      const folder = resolve(files.folder);
      const first = await createFirstClient(service, join(folder, 'client.json'));
      const consoleUrl = `${options.publicUrl ?? service.url}/console`;
      if (readable) {
        if (first) terminal.out(firstStartNotice(first, files.temporary));
        terminal.out(`agent-connectors-service is listening on ${service.url}\n`);
        terminal.out(`The console: ${consoleUrl} (sign in with a client's id and secret)\n`);
      } else {
        logger.info({ url: service.url, console: consoleUrl, ...(first && { client_file: first.path }) }, 'listening');
        if (first) logger.info({}, 'sign in to the console with client_id and client_secret in client_file');
      }
      const link = printLoginLink
        ? await loginLink(service.state, service.state.consoleSessions, options.publicUrl ?? service.url)
        : undefined;
      if (link && !readable) {
        // The link is never written to standard output, which ends up in logs.
        const path = join(folder, 'login-link.json');
        rmSync(path, { force: true });
        writeClientFile(path, { login_link: link });
        logger.info({ login_link_file: path }, 'login link');
      } else if (link) terminal.out(`Sign in to the console: ${link}\n`);
      await stop.first;
      logger.info({}, 'stopping');
    } catch (error) {
      await service.close();
      throw error;
    }
    return await Promise.race([service.close().then(() => 0), stop.second.then(() => 1)]);
  } finally {
    stop.ignore();
    ignoreReload();
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
  }
}

/** Lets new space grow by V8's usual factor, which `bin/agent-connectors-service.js` has lowered for the start. */
function allowGrowth(): void {
  if (!process.versions.bun && !process.versions.deno) setFlagsFromString('--semi-space-growth-factor=2');
}

/** The first client's credentials and the path of their file. */
interface FirstCredentials {
  readonly path: string;
  readonly credentials: Readonly<Record<string, string>>;
}

/** Creates the first client on first start and writes its secret to a file. */
async function createFirstClient(service: RunningService, path: string): Promise<FirstCredentials | undefined> {
  const credentialsOf = ({ client, secret, organization, workspace }: FirstClient) => ({
    base_url: service.url,
    client_id: client.id,
    client_secret: secret,
    organization_id: organization.id,
    workspace: workspace.name,
  });
  const first = await firstStart(service.state, (created) =>
    writeOrDeleteClient(service.state, created.client, path, credentialsOf(created)),
  );
  if (!first) return undefined;
  recordClient(service.state, 'client.created', first.client);
  return { path, credentials: credentialsOf(first) };
}

const firstStartNotice = ({ path, credentials }: FirstCredentials, temporary: boolean): string =>
  `First start: a client was created.\n${formatFields(credentials)}` +
  `${path} also contains its secret${temporary ? ' until the service stops' : ': delete the file when you no longer need it'}.\n`;

/** Promises for the first and the second stop signal. */
function stopSignals(terminal: Terminal) {
  const resolvers: (() => void)[] = [];
  const [first, second] = [
    new Promise<void>((stop) => resolvers.push(stop)),
    new Promise<void>((stop) => resolvers.push(stop)),
  ];
  const ignore = terminal.onStop(() => resolvers.shift()?.());
  return { first, second, ignore };
}

function portInUse(error: unknown, { host = defaults.host, port = defaults.port }: ServiceOptions): Error | undefined {
  const { code } = error as { readonly code?: unknown };
  if (code === 'EADDRINUSE') return new Error(`Port ${port} on ${host} is in use: choose another with --port.`);
  if (code === 'EACCES')
    return new Error(`No permission to use port ${port} on ${host}: choose one above 1023 with --port.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return new Error(`${host} is not an address of this machine.`);
  return undefined;
}
