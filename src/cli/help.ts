import { childrenOf } from './arguments/parse.js';
import { type CommandSpecification, flags as known, subjectOf } from './arguments/specification.js';
import { wrapText } from './output/cell.js';
import type { Colours } from './output/colour.js';

const columns = (rows: ReadonlyArray<readonly [string, string]>, maxWidth: number): string => {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows
    .map(([name, text]) => `  ${name.padEnd(width)}${wrapText(text, maxWidth, ' '.repeat(width + 2)).trimStart()}`)
    .join('\n');
};

/** Help for one command, a group, or all. */
export function helpFor(
  path: readonly string[],
  commands: readonly CommandSpecification[],
  { bold }: Colours,
  maxWidth: number,
): string {
  const command = commands.find((each) => each.path.join(' ') === path.join(' '));
  return command ? helpOfCommand(command, bold, maxWidth) : helpOfGroup(path, commands, bold, maxWidth);
}

type Bold = Colours['bold'];

function helpOfCommand(command: CommandSpecification, bold: Bold, maxWidth: number): string {
  const { path, summary, details = [], keys, words, flags, examples } = command;
  const subject = subjectOf(command);
  const json = `[${subject ? `${subject} | ` : ''}json | @file | -]`;
  const argument = words ? ` ${words.join('|')}` : keys ? ` ${json}` : '';
  const rows = [
    ['--json', 'print JSON on a terminal, too'] as const,
    ...(keys ? [['--json <argument>', 'the JSON argument, as a flag'] as const] : []),
    ...flags.map((name) => known[name]),
    ['--help', 'print this'] as const,
  ];
  return [
    `${wrapText(summary, maxWidth, '')}\n`,
    `${bold('Usage')}  agent-connectors ${path.join(' ')}${argument}${rows.length > 1 ? ' [flags]' : ''}\n`,
    ...details.map((text) => `${wrapText(text, maxWidth, '')}\n`),
    `${bold('Examples')}\n${exampleLines(examples, maxWidth)}\n`,
    ...(keys ? [`${bold('Keys of the JSON')}\n${wrapText(Object.keys(keys).join(', '), maxWidth, '  ')}\n`] : []),
    `${bold('Flags')}\n${columns(rows, maxWidth)}\n`,
  ].join('\n');
}

const footer =
  'A command takes one JSON argument: on its own, after --json, as @file, or - for standard input. With an argument, and in a pipe or file, output is JSON; on a terminal, lists are tables and errors are text, unless --json is passed or AGENT_CONNECTORS_OUTPUT is json. Exit codes: 0 success, 1 failure, 2 authentication, 3 not found, 4 invalid command.';

const groupFooter =
  'Run agent-connectors <command> --help for details. --version prints the version. --connectors <module> loads connectors from a path or package; put this flag before mcp.';

/** Formats examples for pasting into a shell: long ones continue after a backslash, or after a comma in their JSON. */
function exampleLines(examples: readonly string[], maxWidth: number): string {
  const fold = (example: string) => {
    const lines: string[] = [];
    let line = '  ';
    let isQuoted = false;
    // Pieces that are never split across lines: words and JSON members.
    const joined = example.replaceAll(/'[^']*'/g, (json) => json.replaceAll(' ', '\u00a0'));
    for (const piece of joined.match(/[^ ',]*(?:,|'| +|$)/g) ?? []) {
      if (line.trim() !== '' && line.length + piece.trimEnd().length > maxWidth - 2) {
        lines.push(isQuoted ? line.trimEnd() : `${line.trimEnd()} \\`);
        line = '    ';
      }
      line += piece;
      if (piece.endsWith("'")) isQuoted = !isQuoted;
    }
    return [...lines, line.trimEnd()].join('\n').replaceAll('\u00a0', ' ');
  };
  return examples.map(fold).join('\n');
}

function helpOfGroup(
  path: readonly string[],
  all: readonly CommandSpecification[],
  bold: Bold,
  maxWidth: number,
): string {
  const commands = all.filter((each) => path.every((word, index) => each.path[index] === word));
  const rows = commands.map((each) => [each.path.join(' '), each.summary] as const);
  const shown = ['agent-connectors', ...path].join(' ');
  const examples: readonly string[] =
    path.length === 0
      ? [
          'agent-connectors login',
          'agent-connectors connectors list',
          'agent-connectors connectors execute \'{"name":"our issues","entity":"issues","action":"list"}\'',
          'LINEAR_API_KEY=… agent-connectors doctor --local',
        ]
      : commands.slice(0, 4).flatMap(({ examples: [first] }) => first ?? []);
  return [
    `${bold('Usage')}  ${shown} <${childrenOf(path, all).length > 1 ? 'command' : childrenOf(path, all)[0]}> [json | @file | -] [flags]\n`,
    `${bold('Commands')}\n${columns(rows, maxWidth)}\n`,
    `${bold('Examples')}\n${exampleLines(examples, maxWidth)}\n`,
    `${wrapText(footer, maxWidth, '')}\n`,
    `${wrapText(groupFooter, maxWidth)}\n`,
  ].join('\n');
}
