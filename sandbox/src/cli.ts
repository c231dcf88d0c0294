import { parseArgs } from 'node:util';
import { driveFromFolder } from './google-drive/disk.js';
import { listingOf, startNotice, writeKeys } from './listing.js';
import { loadVendors } from './load-vendors.js';
import { createSandbox } from './sandbox.js';
import { type SandboxServer, serve } from './server.js';

const help = `agent-connectors-sandbox: the vendors' HTTP APIs, emulated on this machine

Usage: agent-connectors-sandbox [options]
       agent-connectors-sandbox demo    an agent's question and four calls over the emulated vendors

  --port <number>    port to listen on                        (4010; 0 chooses a free one)
  --host <address>   address to listen on                     (127.0.0.1)
  --seed <number>    chooses the data                         (1)
  --scale <number>   how much data                            (1: 300 Linear issues, 60 Granola notes, 150 Gong calls)
  --latency <ms>     milliseconds that every answer takes longer (0)
  --chaos <rate>     share of requests that go wrong, 0 to 1  (0)
  --drive-folder <path>  serves a folder of the disk as Google Drive's My Drive
  --vendors <module> adds the vendors that a module exports: a path or a package; repeatable
  --keys <folder>    writes the key files of service accounts there, readable by you alone
  --json             print addresses and credentials as JSON, key files among them
  --help             print this
`;

/** Runs the command and returns its exit code, or the listening server. */
async function run(argv: string[]): Promise<number | SandboxServer> {
  const { values } = parseArgs({
    args: argv,
    options: {
      port: { type: 'string', default: '4010' },
      host: { type: 'string', default: '127.0.0.1' },
      seed: { type: 'string', default: '1' },
      scale: { type: 'string', default: '1' },
      latency: { type: 'string', default: '0' },
      chaos: { type: 'string', default: '0' },
      'drive-folder': { type: 'string' },
      vendors: { type: 'string', multiple: true, default: [] },
      keys: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const seed = parseNumber('seed', values.seed);
  const rate = parseNumber('chaos', values.chaos, 1);
  const folder = values['drive-folder'];
  const sandbox = createSandbox({
    seed,
    scale: parseNumber('scale', values.scale),
    ...(rate > 0 && { chaos: { seed, rate } }),
    vendors: await loadVendors(values.vendors),
    ...(folder !== undefined && { driveFolder: driveFromFolder(folder) }),
  });
  const port = parseNumber('port', values.port, 65_535);
  const server = await serve({ sandbox, port, host: values.host, latency: parseNumber('latency', values.latency) });
  const listing = listingOf(server);
  if (values.keys !== undefined) writeKeys(listing, values.keys);
  process.stdout.write(values.json ? `${JSON.stringify(listing)}\n` : startNotice(listing, values.keys));
  return server;
}

function parseNumber(name: string, text: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= max)) throw new RangeError(`--${name} cannot be '${text}'`);
  return value;
}

try {
  const outcome = await run(process.argv.slice(2));
  if (typeof outcome === 'number') process.exitCode = outcome;
  else for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => outcome.close());
} catch (error) {
  const { code, message, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const text =
    code === 'EADDRINUSE'
      ? `Port ${port} on ${address} is in use: choose another with --port.`
      : `${message}\nTry --help.`;
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
