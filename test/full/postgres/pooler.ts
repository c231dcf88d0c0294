import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Path at which Debian's `pgbouncer` package installs the program. */
const program = '/usr/sbin/pgbouncer';
/** More roles than any test file creates. */
const maxRoles = 200;

/** A PgBouncer in transaction mode in front of a server. */
export interface Pooler {
  /** The port it listens on, on loopback. */
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts PgBouncer in front of the server at this URL; undefined if PgBouncer is not installed. */
export async function startPooler(serverUrl: string): Promise<Pooler | undefined> {
  if (!existsSync(program)) return undefined;
  const { port: serverPort, password } = new URL(serverUrl);
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  const port = await freePort();
  const roles = Array.from({ length: maxRoles }, (_, index) => `"test_${index + 1}" "${password}"\n`);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(folder, 'roles'),
    pool_mode: 'transaction',
    default_pool_size: 10,
    max_client_conn: 500,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  const configuration = join(folder, 'pgbouncer.ini');
  writeFileSync(settings.auth_file, roles.join(''), { mode: 0o600 });
  writeFileSync(configuration, `[databases]\n* = host=127.0.0.1 port=${serverPort}\n[pgbouncer]\n${lines.join('')}`, {
    mode: 0o600,
  });
  const user = unprivileged();
  if (user) for (const path of [folder, settings.auth_file, configuration]) chownSync(path, user.uid, user.gid);
  chmodSync(folder, 0o700);
  const child = spawn(program, [configuration], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  process.once('exit', () => child.kill('SIGTERM'));
  await untilUp(child);
  return {
    port,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** PgBouncer refuses to run as root. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid!() !== 0) return undefined;
  const id = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function untilUp(child: ChildProcess): Promise<void> {
  const output: string[] = [];
  const lines = createInterface(child.stderr!);
  const up = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (output.push(line) > 100) output.shift();
      if (line.includes('process up')) resolve();
    });
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`PgBouncer did not start:\n${output.join('\n')}`);
  });
  await Promise.race([up, ended]);
  // From now on it is expected to exit.
  ended.catch(() => {});
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}
