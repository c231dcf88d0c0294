import { ConnectorError } from '../errors/connector-error.js';
import { loadConnectors } from '../node/connectors.js';
import { VERSION } from '../version.js';
import { readArgument } from './arguments/argument.js';
import { asksForJson, modulesIn, parse } from './arguments/parse.js';
import { commands } from './commands.js';
import type { CliEnvironment } from './environment.js';
import { asConnectorError, interruptedExitCode, reportOf, withDetails } from './failure.js';
import { helpFor } from './help.js';
import { formatReport, OutputClosed, printerFor, write } from './output/printer.js';

/** Runs a command and returns its exit code; never throws. */
export async function run(argv: readonly string[], environment: CliEnvironment): Promise<number> {
  const { stdout, stderr, signal } = environment;
  const secrets = secretsOf(environment.env);
  const ignore = () => {};
  // The write callback receives errors; an unhandled `error` event would crash the process.
  for (const output of [stdout, stderr]) output.on('error', ignore);
  try {
    const { modules, rest } = modulesIn(argv);
    const connectors = modules.length > 0 ? await loadConnectors(modules) : undefined;
    return await runCommand(rest, { ...environment, ...(connectors && { connectors }) }, secrets);
  } catch (thrown) {
    if (thrown instanceof OutputClosed) return 0;
    const wasInterrupted = signal.aborted && !(ConnectorError.is(thrown) && thrown.code === 'unknown_outcome');
    const error = wasInterrupted ? interruptedError(thrown) : asConnectorError(thrown);
    const { report, exit } = reportOf(error, secrets);
    const isRead = prefersText(argv, environment);
    // Whoever pressed Ctrl-C knows; the shell's prompt goes below the echoed ^C.
    const isQuiet = report.type === 'interrupted' && isRead && stderr.isTTY === true;
    await write(stderr, isQuiet ? '\n' : formatReport(report, isRead, environment)).catch(ignore);
    return signal.aborted ? interruptedExitCode : exit;
  } finally {
    for (const output of [stdout, stderr]) output.off('error', ignore);
  }
}

async function runCommand(argv: readonly string[], environment: CliEnvironment, secrets: string[]): Promise<number> {
  // The MCP server parses its own flags.
  const mcpArgs = argv[0] === 'mcp' ? argv.slice(1) : argv[0] === 'help' && argv[1] === 'mcp' ? ['--help'] : undefined;
  if (mcpArgs) return (await import('./mcp/command.js')).runMcp(mcpArgs, environment.env, environment);
  const parsed = parse(argv, commands);
  if (parsed.kind === 'version') {
    await printerFor(environment, false).text(`${VERSION}\n`);
    return 0;
  }
  if (parsed.kind === 'help') {
    const { text, colours } = printerFor(environment, false);
    const maxWidth = Math.min(environment.stdout.columns || 80, 80);
    await text(helpFor(parsed.path, commands, colours, maxWidth));
    return 0;
  }
  const { specification, flags, text } = parsed;
  const keys = text === undefined ? {} : await specification.moreKeys?.(environment);
  const effectiveSpecification = keys ? { ...specification, keys: { ...specification.keys, ...keys } } : specification;
  const { argument, word } = await readArgument(text, effectiveSpecification, environment);
  secrets.push(...secretsIn(argument));
  if (specification.words && word === undefined)
    return runCommand([...specification.path, '--help'], environment, secrets);
  const hasJson = text !== undefined && word === undefined;
  const isReport = hasJson ? specification.printsTable === true : !specification.printsJson;
  const isList = environment.stdout.isTTY === true && isReport;
  const isRead = prefersText(argv, environment);
  const pretty = flags.pretty ? !asksForJson(argv) : isRead && isList;
  const print = printerFor(environment, pretty);
  const command = await specification.load();
  return (await command({ specification, argument, word, flags, print, isRead, environment, secrets })) ?? 0;
}

/** Whether people read what is printed to a terminal; programs that emulate one ask for JSON. */
const prefersText = (argv: readonly string[], { env }: CliEnvironment): boolean =>
  !asksForJson(argv) && env.AGENT_CONNECTORS_OUTPUT !== 'json';

const secretName = /SECRET|TOKEN|API_KEY|ACCESS_KEY|PASSWORD|CREDENTIALS/;

/** Environment values that must not appear in an error. */
const secretsOf = (env: CliEnvironment['env']): string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    secretName.test(name) && value && value.length > 5 ? [value.trim()] : [],
  );

/** Credential values found in an argument, and in the connectors that it lists. */
function secretsIn({ client_secret, credentials, connectors }: Readonly<Record<string, any>>): string[] {
  const own = [client_secret, ...Object.values(credentials ?? {})].filter((value) => typeof value === 'string');
  return [...own, ...(Array.isArray(connectors) ? connectors.flatMap((each) => secretsIn(each ?? {})) : [])];
}

const interruptedError = (thrown: unknown): ConnectorError =>
  withDetails(new ConnectorError('aborted', 'Interrupted.', { cause: thrown }), { type: 'interrupted' });
