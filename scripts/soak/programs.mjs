import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { root } from '../run.mjs';

const pathTo = (path) => join(root, path);

/** Starts the emulated vendors on their own port. @param {number} seed */
export async function startVendors(seed) {
  const args = [pathTo('sandbox/bin/agent-connectors-sandbox.js'), '--port', '0', '--json', '--seed', String(seed)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const [line] = await once(createInterface(child.stdout), 'line');
  const { vendors, control } = JSON.parse(line);
  const callControl = async (method, path, body) => {
    // A new connection each time: the server may close a reused one just as the request is sent.
    const headers = { connection: 'close' };
    const reply = await fetch(`${control}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!reply.ok) throw new Error(`The sandbox refused ${method} ${path}: ${await reply.text()}`);
    return reply.text();
  };
  return { vendors, steer: callControl, stop: () => stopProcess(child, 'SIGTERM') };
}

const children = new Set();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Stops a process and returns its exit code and shutdown time. */
async function stopProcess(child, signal) {
  const started = performance.now();
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await once(child, 'exit');
  }
  return { code: child.exitCode, seconds: (performance.now() - started) / 1000 };
}

/**
 * A data folder on its own small file system, which can be filled, or an ordinary folder if mounting is not permitted.
 */
export function dataFolder(megabytes) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-connectors-soak-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  let small = false;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', data], { stdio: 'ignore' });
    small = true;
  } catch {
    // Without root, the disk cannot be filled.
  }
  const filler = join(data, 'filler');
  const remove = () => {
    if (small) execFileSync('umount', ['-l', data]);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  return {
    folder: data,
    small,
    fill() {
      const { bavail, bsize } = statfsSync(data);
      try {
        writeFileSync(filler, Buffer.alloc(bavail * bsize));
      } catch {
        // Something else took the last bytes, so the disk is still full.
      }
    },
    free: () => rmSync(filler, { force: true }),
  };
}

/** A service that can be killed and restarted at the same address. */
export class Service {
  /** Log lines not explained by an injected fault. */
  unexplainedLogLines = [];
  /** Unexpected process exits. */
  crashes = [];
  #options;
  #child;
  #port = 0;
  #shouldRun = false;
  url = '';

  /** @param {{ folder: string, endpoints: Record<string, string>, databaseUrl?: string, log?: string }} options */
  constructor(options) {
    this.#options = options;
  }

  get pid() {
    return this.#child.pid;
  }

  /** The client created on first start. */
  client() {
    const { client_id, client_secret } = JSON.parse(readFileSync(join(this.#options.folder, 'client.json'), 'utf8'));
    return { client_id, client_secret };
  }

  #environment() {
    const { databaseUrl } = this.#options;
    return { ...process.env, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
  }

  async start() {
    const { folder, endpoints, log } = this.#options;
    const address = ['--data', folder, '--port', String(this.#port), '--json', '--create-key', '--mcp-allow-writes'];
    const args = [...address, '--endpoints', JSON.stringify(endpoints), '--allow-host', '127.0.0.1'];
    const program = pathTo('service/bin/agent-connectors-service.js');
    // On a machine with much memory, Node would let garbage accumulate, which would look like a leak.
    const child = spawn(process.execPath, ['--max-old-space-size=256', program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.#environment(),
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    this.#child = child;
    this.#shouldRun = true;
    const stderrLines = [];
    createInterface(child.stderr).on('line', (line) => stderrLines.push(line));
    let isListening = false;
    child.once('exit', (code, signal) => {
      // A failed start is retried, since the disk may be full.
      if (isListening && this.#child === child && this.#shouldRun)
        this.crashes.push(`${code ?? signal}: ${stderrLines.slice(-3).join(' ')}`);
    });
    const lines = createInterface(child.stdout);
    const listening = new Promise((resolve) => {
      lines.on('line', (line) => {
        if (log) appendFileSync(log, `${line}\n`);
        const entry = JSON.parse(line);
        if (entry.msg === 'listening') resolve(entry.url);
        if (/unhandled|uncaught/i.test(line)) this.unexplainedLogLines.push(line.slice(0, 300));
      });
    });
    const url = await Promise.race([listening, once(child, 'exit').then(() => undefined)]);
    if (!url) return false;
    isListening = true;
    this.url = url;
    this.#port = Number(new URL(url).port);
    return true;
  }

  /** Kills the process to simulate a power failure. */
  kill() {
    this.#shouldRun = false;
    return stopProcess(this.#child, 'SIGKILL');
  }

  stop() {
    this.#shouldRun = false;
    return stopProcess(this.#child, 'SIGTERM');
  }

  /** A client with a secret. @param {string} name @param {string} organization @param {string[]} options */
  async createClient(name, organization, ...options) {
    const words = ['create-client', '--name', name, '--organization', organization, ...options];
    const { client_id, client_secret } = await this.json(...words);
    return { client_id, client_secret };
  }

  /** The JSON output of one of the service's commands. */
  async json(...words) {
    return JSON.parse(await this.command(...words));
  }

  /** The output of one of the service's commands. */
  async command(...words) {
    const program = pathTo('service/bin/agent-connectors-service.js');
    const given = [program, ...words, '--json', '--data', this.#options.folder];
    const { stdout } = await promisify(execFile)(process.execPath, given, { env: this.#environment() });
    return stdout;
  }

  /** The process's memory usage in MiB; undefined between a kill and the next start. */
  memory() {
    const path = `/proc/${this.pid}/statm`;
    if (!existsSync(path)) return undefined;
    const pages = Number(readFileSync(path, 'utf8').split(' ')[1]);
    return (pages * 4096) / 2 ** 20;
  }
}
