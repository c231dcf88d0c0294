import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { coloursFor } from '../../src/cli/output/colour.js';
import { type Printer, printerFor } from '../../src/cli/output/printer.js';
import { withSpinner } from '../../src/cli/output/progress.js';
import { keyboard, linearKey, runCommand, startTestService } from './session.js';

/** Every character that a terminal may interpret, or that reverses the text direction. */
const controls = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, code) => 0x7f + code),
  0x061c,
  0x200e,
  0x200f,
  0x2028,
  0x2029,
  0x202a,
  0x202b,
  0x202c,
  0x202d,
  0x202e,
  0x2066,
  0x2067,
  0x2068,
  0x2069,
].map((code) => String.fromCharCode(code));

/** Writes to the clipboard (OSC 52) with both introducers, and clears the screen. */
const attack = `\u001b]52;c;ZXZpbA==\u0007\u009d52;c;ZXZpbA==\u009c\u001b[2J\u202eevil${controls.join('')}`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const colours = /\u001b\[\d{1,2}m/g;

/** What a terminal would interpret in an output; colors are the command line's own. */
const obeyed = (text: string): string[] =>
  text.replaceAll(colours, '').match(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu) ?? [];

const env = { LINEAR_API_KEY: linearKey };
const list = JSON.stringify({ name: 'linear', entity: 'teams', action: 'list' });
const answering =
  (body: unknown, status = 200): typeof globalThis.fetch =>
  async () =>
    Response.json(body, { status });
const teams = (node: object) => answering({ data: { teams: { nodes: [node], pageInfo: {} } } });

describe.each([
  ['a terminal', true],
  ['a file', false],
])('vendor text printed to %s', (_, terminal) => {
  test.each([[[]], [['--pretty']], [['--all']]])('cannot control the terminal with %j', async (flags) => {
    const { out, json } = await runCommand(['connectors', 'execute', '--local', ...flags, list], {
      env,
      terminal,
      fetch: teams({ id: 't', name: attack, key: attack }),
    });
    expect(out).toContain(']52;c;');
    expect(obeyed(out)).toEqual([]);
    if (flags.length === 0) expect(json.data[0].name).toBe(attack);
    if (flags.length === 0) expect(out).toContain('\\u001b]52;c;');
  });

  test.each([[[]], [['--pretty']]])('cannot control the terminal in an error with %j', async (flags) => {
    const { err, error } = await runCommand(['connectors', 'execute', '--local', ...flags, list], {
      env,
      terminal,
      fetch: answering(
        { errors: [{ message: attack, extensions: { code: attack, userPresentableMessage: attack } }] },
        400,
      ),
    });
    expect(err).toContain('evil');
    expect(obeyed(err)).toEqual([]);
    if (flags.length === 0 && !terminal) expect(error.message).toContain(attack);
  });

  test('cannot control the terminal in a doctor report', async () => {
    const fetch = answering({ errors: [{ message: attack, extensions: { code: attack } }] }, 400);
    const { out } = await runCommand(['doctor', '--local', '--pretty'], { env, terminal, fetch });
    expect(out).toContain('evil');
    expect(obeyed(out)).toEqual([]);
    expect(out.split('\n').filter((line) => line.startsWith('evil'))).toEqual([]);
  });
});

describe('names from a service', async () => {
  const { env: hosted, fetch } = await startTestService();

  test('cannot control the terminal in lists, prompts and documentation', async () => {
    const name = `evil ${attack}`.replaceAll(/[\r\n]/g, '').slice(0, 60);
    const rename: typeof globalThis.fetch = async (input, init) => {
      const path = new URL(new Request(input, init).url).pathname;
      const row = {
        id: 'c',
        name,
        connector_type: 'linear',
        workspace_name: name,
        docs_skill_id: 'd',
        content: attack,
      };
      if (path.endsWith('/integrations/connectors')) return Response.json({ data: [row], next_cursor: null });
      if (/\/(c|inspect|docs)$/.test(path)) return Response.json(row);
      return fetch(input, init);
    };
    const given = { env: hosted, fetch: rename, terminal: true };
    const lists = await runCommand(['connectors', 'list', '--pretty'], given);
    const stdin = keyboard('no\r') as never;
    const asked = await runCommand(['connectors', 'delete', '{"id":"c"}'], { ...given, stdin });
    const docs = await runCommand(['skills', 'docs', '--pretty', '{"id":"c"}'], given);
    for (const { out, err } of [lists, asked, docs]) {
      expect(obeyed(out + err.replaceAll('\r\u001b[2K', ''))).toEqual([]);
    }
    for (const text of [lists.out, asked.err, docs.out]) expect(text).toContain('evil');
  });
});

test('documentation on a terminal wraps between words, except for code and tables', async () => {
  const wide = 'a word and another '.repeat(8).trim();
  const fetch: typeof globalThis.fetch = async (input) => {
    const { pathname } = new URL(input instanceof Request ? input.url : String(input));
    if (pathname.endsWith('/token')) return Response.json({ access_token: 't', expires_in: 900 });
    const content = `# Issues\n\n${wide}\n\n  - ${wide}\n1. ${wide}\n\n\`\`\`sh\n${wide}\n\`\`\`\n| ${wide} |\n`;
    return Response.json({ id: 'x', content, metadata: {} });
  };
  const env = {
    AGENT_CONNECTORS_BASE_URL: 'http://service.internal',
    AGENT_CONNECTORS_CLIENT_ID: 'a',
    AGENT_CONNECTORS_CLIENT_SECRET: 'b',
  };
  const { out } = await runCommand(['skills', 'docs', '--pretty', '{"docs_id":"x"}'], { env, fetch, terminal: true });
  const lines = out.trimEnd().split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([wide, `| ${wide} |`]);
  expect(lines[0]).toBe('# Issues');
  expect(lines[lines.findIndex((line) => line.startsWith('  - ')) + 1]).toMatch(/^ {4}\w/);
  expect(lines[lines.findIndex((line) => line.startsWith('1. ')) + 1]).toMatch(/^ {3}\w/);
  expect(out.replaceAll(/\s+/g, ' ').split(wide)).toHaveLength(6);
});

test('an error on a terminal wraps between words', async () => {
  const { err } = await runCommand(['connectors', 'lst', '--pretty'], { terminal: true });
  const lines = err.trimEnd().split('\n');
  expect(lines[0]).toContain("Unknown command 'connectors lst'.");
  const { err: long } = await runCommand(['connectors', 'list', '--pretty', '--al', '--frob'], { terminal: true });
  const unknown = await runCommand(['connectors', 'execute', '--pretty', '{"nme":1}'], { terminal: true });
  for (const line of [...lines, ...long.split('\n'), ...unknown.err.split('\n')]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no room.
    expect(line.replaceAll(/\u001b\[\d+m/g, '').length, line).toBeLessThanOrEqual(80);
  }
});

/** An output that records what is written. */
function terminal() {
  const chunks: string[] = [];
  const output = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stdout: Object.assign(output, { isTTY: true, columns: 100 }), text: () => chunks.join('') };
}

describe('the printer', () => {
  test('prints JSON keys and values unchanged, without characters that a terminal interprets', async () => {
    const value = { [attack]: attack, list: [{ [`k${attack}`]: `\\${attack}` }] };
    async function* one() {
      yield value;
    }
    for (const write of [(print: Printer) => print.result(value), (print: Printer) => print.records(one())]) {
      const { stdout, text } = terminal();
      await write(printerFor({ stdout, env: {} }, false));
      expect(JSON.parse(text())).toEqual(value);
      expect(obeyed(text())).toEqual([]);
    }
  });

  test.each([
    ['a record', { [attack]: attack, deep: { [attack]: attack } }],
    ['a table', [{ [attack]: attack }, { [attack]: [attack] }]],
    ['an array of strings', [attack, attack]],
    ['a text', attack],
  ])('prints %s on separate lines', async (_, value) => {
    const { stdout, text } = terminal();
    await printerFor({ stdout, env: {} }, true).result(value);
    expect(text()).toContain('\\u001b]52;c;');
    expect(obeyed(text())).toEqual([]);
  });

  test('never lets text set a color', async () => {
    const { stdout, text } = terminal();
    const { red } = coloursFor(stdout, { env: {} });
    await printerFor({ stdout, env: {} }, true).text(`${red('ours')} \u001b[31mtheirs\u001b[39m`);
    expect(text()).toBe('\u001b[31mours\u001b[39m \\u001b[31mtheirs\\u001b[39m');
  });

  test('also prints progress', async () => {
    const { stdout: stderr, text } = terminal();
    await withSpinner(attack, { stderr, env: {} }, () => new Promise((resolve) => setTimeout(resolve, 250)));
    expect(text()).toContain('evil');
    expect(obeyed(text().replaceAll('\r\u001b[2K', ''))).toEqual([]);
  });

  test('is the only way to print', () => {
    const files = readdirSync('src/cli', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const writing = files.filter((file) =>
      /\.write\(|console\.|\.pipe\(/.test(readFileSync(join('src/cli', file), 'utf8')),
    );
    // The program that init writes prints, too.
    expect(writing.sort()).toEqual(['commands/init.ts', 'output/printer.ts', 'output/progress.ts', 'output/prompt.ts']);
  });
});
