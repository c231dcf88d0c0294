import { parseArgs } from 'node:util';
import { driveFromFolder } from './google-drive/disk.js';
import { createSandbox } from './sandbox.js';
import { type SandboxServer, serve } from './server.js';

const help = `agent-connectors-sandbox: the vendors' HTTP APIs, emulated on this machine

Usage: agent-connectors-sandbox [options]

  --port <number>    port to listen on                        (4010; 0 chooses a free one)
  --host <address>   address to listen on                     (127.0.0.1)
  --seed <number>    chooses the data                         (1)
  --scale <number>   how much data                            (1: 300 Linear issues, 60 Granola notes, 150 Gong calls)
  --latency <ms>     milliseconds that every answer takes longer (0)
  --chaos <rate>     share of requests that go wrong, 0 to 1  (0)
  --drive-folder <path>  serves a folder of the disk as Google Drive's My Drive
  --json             print addresses and credentials as JSON
  --help             print this
`;

/** Runs the command with its arguments and gives back the exit code, or the server that now listens. */
async function run(given: string[]): Promise<number | SandboxServer> {
  const { values } = parseArgs({
    args: given,
    options: {
      port: { type: 'string', default: '4010' },
      host: { type: 'string', default: '127.0.0.1' },
      seed: { type: 'string', default: '1' },
      scale: { type: 'string', default: '1' },
      latency: { type: 'string', default: '0' },
      chaos: { type: 'string', default: '0' },
      'drive-folder': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const seed = numberOf('seed', values.seed);
  const rate = numberOf('chaos', values.chaos, 1);
  const folder = values['drive-folder'];
  const sandbox = createSandbox({
    seed,
    scale: numberOf('scale', values.scale),
    ...(rate > 0 && { chaos: { seed, rate } }),
    ...(folder !== undefined && { driveFolder: driveFromFolder(folder) }),
  });
  const port = numberOf('port', values.port, 65_535);
  const server = await serve({ sandbox, port, host: values.host, latency: numberOf('latency', values.latency) });
  process.stdout.write(values.json ? `${JSON.stringify(summaryOf(server))}\n` : readable(server));
  return server;
}

function numberOf(name: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= most)) throw new RangeError(`--${name} cannot be '${text}'`);
  return value;
}

function summaryOf({ url, sandbox }: SandboxServer) {
  const vendors = Object.entries(sandbox.vendors).map(([name, { path, credentials }]) => [
    name,
    { url: `${url}${path}`, credentials },
  ]);
  return { url, control: `${url}/_sandbox`, vendors: Object.fromEntries(vendors) };
}

function readable({ url, sandbox }: SandboxServer): string {
  const lines = [`Sandbox listening on ${url} (control endpoints below ${url}/_sandbox)`];
  for (const [name, { path, credentials }] of Object.entries(sandbox.vendors)) {
    lines.push('', `${name}: ${url}${path}`);
    for (const [label, values] of Object.entries(credentials)) {
      lines.push(`  ${label}`);
      for (const [field, value] of Object.entries(values)) lines.push(`    ${field.padEnd(14)} ${value}`);
    }
  }
  return `${lines.join('\n')}\n\nCtrl+C ends it.\n`;
}

try {
  const outcome = await run(process.argv.slice(2));
  if (typeof outcome === 'number') process.exitCode = outcome;
  else for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => outcome.close());
} catch (error) {
  process.stderr.write(`${(error as Error).message}\nTry --help.\n`);
  process.exitCode = 1;
}
