import { ConnectorError } from '../call/errors.js';
import { loadConnectors } from '../node/connectors.js';
import { VERSION } from '../version.js';
import { readArgument } from './arguments/argument.js';
import { modulesIn, parse } from './arguments/parse.js';
import { commands } from './commands.js';
import { amended, asConnectorError, interrupted, reportOf } from './failure.js';
import { helpFor } from './help.js';
import { coloursFor, harmlessText } from './output/colour.js';
import { printerFor, ReaderGone, write } from './output/printer.js';
import type { Surroundings } from './surroundings.js';

/** Runs one command line and gives back its exit code; nothing is thrown. */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr, signal } = surroundings;
  const secrets = secretsOf(surroundings.env);
  const ignore = () => {};
  // Who writes is told by the callback; an event that nobody hears would end the process.
  for (const output of [stdout, stderr]) output.on('error', ignore);
  try {
    const { modules, rest } = modulesIn(argv);
    const connectors = modules.length > 0 ? await loadConnectors(modules) : undefined;
    return await carriedOut(rest, { ...surroundings, ...(connectors && { connectors }) }, secrets);
  } catch (thrown) {
    if (thrown instanceof ReaderGone) return 0;
    const ended = signal.aborted && !(ConnectorError.is(thrown) && thrown.code === 'unknown_outcome');
    const error = ended ? stopped(thrown) : asConnectorError(thrown);
    const { report, exit } = reportOf(error, secrets);
    await write(stderr, reported(report, argv, surroundings)).catch(ignore);
    return signal.aborted ? interrupted : exit;
  } finally {
    for (const output of [stdout, stderr]) output.off('error', ignore);
  }
}

async function carriedOut(argv: readonly string[], surroundings: Surroundings, secrets: string[]): Promise<number> {
  // Its flags are those of a server, and are read there.
  const served = argv[0] === 'mcp' ? argv.slice(1) : argv[0] === 'help' && argv[1] === 'mcp' ? ['--help'] : undefined;
  if (served) return (await import('./mcp/command.js')).runMcp(served, surroundings.env, surroundings);
  const parsed = parse(argv, commands);
  if (parsed.kind === 'version') {
    await printerFor(surroundings, false).text(`${VERSION}\n`);
    return 0;
  }
  if (parsed.kind === 'help') {
    const { text, colours } = printerFor(surroundings, false);
    const room = Math.min(surroundings.stdout.columns ?? 100, 120);
    await text(helpFor(parsed.path, commands, colours, room));
    return 0;
  }
  const { specification, flags, text } = parsed;
  const keys = text === undefined ? {} : await specification.moreKeys?.(surroundings);
  const taking = keys ? { ...specification, keys: { ...specification.keys, ...keys } } : specification;
  const { argument, word } = await readArgument(text, taking, surroundings.stdin);
  secrets.push(...secretsIn(argument));
  if (specification.words && word === undefined)
    return carriedOut([...specification.path, '--help'], surroundings, secrets);
  const print = printerFor(surroundings, flags.pretty === true);
  const command = await specification.load();
  return (await command({ specification, argument, word, flags, print, surroundings, secrets })) ?? 0;
}

const secretName = /SECRET|TOKEN|API_KEY|ACCESS_KEY|PASSWORD|CREDENTIALS/;

/** Values of the environment that must not come back in an error. */
const secretsOf = (env: Surroundings['env']): string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    secretName.test(name) && value && value.length > 5 ? [value.trim()] : [],
  );

/** Values of an argument's credentials. */
const secretsIn = ({ client_secret, credentials }: Readonly<Record<string, any>>): string[] =>
  [client_secret, ...Object.values(credentials ?? {})].filter((value): value is string => typeof value === 'string');

const stopped = (thrown: unknown): ConnectorError =>
  amended(new ConnectorError('aborted', 'Ended before it was done.', { cause: thrown }), { type: 'interrupted' });

/** The error as JSON, or as text for somebody who sits before a terminal and asked for that. */
function reported(
  report: Readonly<Record<string, unknown>>,
  argv: readonly string[],
  surroundings: Surroundings,
): string {
  const { stderr } = surroundings;
  if (!argv.includes('--pretty') || stderr.isTTY !== true) return `${JSON.stringify(report)}\n`;
  const { red, yellow } = coloursFor(stderr, surroundings);
  const { message, hint } = report;
  const advice = hint ? `${yellow('→')} ${harmlessText(String(hint))}\n` : '';
  return `${red('✗')} ${harmlessText(String(message))}\n${advice}`;
}
