import { serveStdio } from '../../mcp/stdio.js';
import type { McpCallEvent } from '../../mcp/surface.js';
import type { CliEnvironment } from '../environment.js';
import { write } from '../output/printer.js';
import { mcpHelp, readMcpCommandLine } from './command-line.js';
import { connectorsFor } from './connectors.js';

/** Runs `agent-connectors mcp` until the client disconnects; returns the exit code. */
export async function runMcp(
  argv: readonly string[],
  env: CliEnvironment['env'],
  io: Omit<CliEnvironment, 'env'>,
): Promise<number> {
  const line = readMcpCommandLine(argv);
  if (line.help) {
    await write(io.stdout, mcpHelp);
    return 0;
  }
  const { connectors, searchAll } = connectorsFor(line, { environment: { ...io, env }, secrets: [] });
  const codeMode = line.code ? (await import('../../tools/code/index.js')).codeMode() : undefined;
  const log = (entry: object) => {
    if (line.log) write(io.stderr, `${JSON.stringify(entry)}\n`).catch(() => {});
  };
  const server = await serveStdio(connectors, {
    stdin: io.stdin,
    stdout: io.stdout,
    allowWrites: line.allowWrites,
    results: line.structured ? 'structured' : 'text',
    maxOutputTokens: line.maxOutputTokens,
    searchAll,
    codeMode,
    onCall: (event) => log(callLogEntry(event)),
    // An error message may quote the request.
    onError: ({ name }) => log({ event: 'error', name }),
  });
  const stop = () => void server.close();
  io.signal.addEventListener('abort', stop, { once: true });
  if (io.signal.aborted) stop();
  await server.closed;
  io.signal.removeEventListener('abort', stop);
  return 0;
}

const callLogEntry = ({ durationMs, ...names }: McpCallEvent) => ({ event: 'call', ...names, duration_ms: durationMs });
