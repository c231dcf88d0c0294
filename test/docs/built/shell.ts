import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { root } from '../pages.js';

/** What a command came to. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** A folder of somebody who has installed the packages, and a shell in it. */
export interface ShellWorkspace {
  readonly folder: string;
  /** Variables of the shell, which a test may add to. */
  readonly environment: Record<string, string>;
  /** Runs the regions of a file of `examples/shell`, one after the other in one shell. */
  run(file: string, ...regions: string[]): Promise<Outcome>;
  /** The same for what does not end by itself: resolves once its output matches. */
  start(ready: RegExp, file: string, ...regions: string[]): Promise<Running>;
}

/** A command that goes on. */
export interface Running {
  /** Ends it, with all that it started. */
  end(): Promise<void>;
}

/** Lines between `# #region name` and `# #endregion`. */
export async function regionOf(path: string, name: string): Promise<string> {
  const text = await readFile(join(root, path), 'utf8');
  const [, body] = new RegExp(`^(?:#|//) #region ${name}\\n(.*?)^(?:#|//) #endregion`, 'ms').exec(text) ?? [];
  if (body === undefined) throw new Error(`${path} has no region ${name}.`);
  return body;
}

/** A port that nobody has. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Makes such a folder; `ports` are those that the pages name, and the ones to use in their place. */
export async function createShellWorkspace(ports: Readonly<Record<string, number>>): Promise<ShellWorkspace> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-connectors-shell-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await mkdir(join(folder, 'bin'));
  await symlink(join(root, 'test/docs/built/npm.mjs'), join(folder, 'bin/npm'));
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  const environment: Record<string, string> = {
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };

  async function start(file: string, regions: readonly string[]) {
    const parts = await Promise.all(regions.map((region) => regionOf(`examples/shell/${file}.sh`, region)));
    const script = parts.join('\n').replace(/\b(4010|4020|3000)\b/g, (port) => String(ports[port] ?? port));
    // A group of its own, so that what it started ends with it.
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
      ...{ cwd: folder, env: environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    const captured = { output: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream!.on('data', (chunk) => {
        captured.output += chunk;
      });
    }
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, seen: captured, ended };
  }

  return {
    folder,
    environment,
    async run(file, ...regions) {
      const { child, seen: captured, ended } = await start(file, regions);
      const timer = setTimeout(() => kill(child), 60_000);
      const code = await ended;
      clearTimeout(timer);
      return { code, output: captured.output };
    },
    async start(ready, file, ...regions) {
      const { child, seen: captured, ended } = await start(file, regions);
      const deadline = Date.now() + 60_000;
      while (!ready.test(captured.output)) {
        if (child.exitCode !== null || Date.now() > deadline) {
          kill(child);
          throw new Error(`It did not start: ${captured.output}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return {
        async end() {
          kill(child);
          await ended;
        },
      };
    },
  };
}

function kill({ pid, exitCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGTERM');
}
