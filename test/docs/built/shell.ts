import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { root } from '../pages.js';

/** The result of a command. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** The folder of a user who has installed the packages, and a shell in it. */
export interface ShellWorkspace {
  readonly folder: string;
  /** The shell's environment variables; a test may add some. */
  readonly environment: Record<string, string>;
  /** Runs regions of a file in `examples/shell`, one after another in one shell. */
  run(file: string, ...regions: string[]): Promise<Outcome>;
  /** The same for commands that do not exit by themselves: resolves once the output matches. */
  start(ready: RegExp, file: string, ...regions: string[]): Promise<Running>;
}

/** A running command. */
export interface Running {
  /** Ends it and everything it started. */
  end(): Promise<void>;
}

/** Lines between `# #region name` and `# #endregion`. */
export async function regionOf(path: string, name: string): Promise<string> {
  const text = await readFile(join(root, path), 'utf8');
  const [, body] = new RegExp(`^(?:#|//) #region ${name}\\n(.*?)^(?:#|//) #endregion`, 'ms').exec(text) ?? [];
  if (body === undefined) throw new Error(`${path} has no region ${name}.`);
  return body;
}

/** An unused port. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Creates a user's folder; `ports` maps the ports shown on pages to those used instead. */
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
    // Its own process group, so that everything it started ends with it.
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
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
