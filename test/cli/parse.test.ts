import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseArgument } from '../../src/cli/arguments/argument.js';
import { parse } from '../../src/cli/arguments/parse.js';
import { commands } from '../../src/cli/commands.js';
import { ConnectorError } from '../../src/errors/connector-error.js';
import { caseCount } from '../cases.js';
import { runCommand } from './session.js';

const paths = commands.map(({ path }) => path);

test('an interrupt ends a command that reads standard input', async () => {
  const stop = new AbortController();
  const stdin = new PassThrough();
  stdin.write('{"name":');
  const running = runCommand(['connectors', 'execute', '-'], { stdin, signal: stop.signal });
  setImmediate(() => stop.abort());
  const { exit, error } = await running;
  expect([exit, error.message]).toEqual([130, 'Interrupted.']);
});

describe('the command-line parser', () => {
  test.each(paths)('finds %s %s', (...words) => {
    const path = words.filter((word): word is string => typeof word === 'string');
    const parsed = parse([...path], commands);
    expect(parsed).toMatchObject({ kind: 'command', specification: { path } });
  });

  test('accepts the argument directly, after --json and after =', () => {
    for (const given of [['{}'], ['--json', '{}'], ['--json={}'], ['--pretty', '{}'], ['{}', '--pretty']]) {
      expect(parse(['connectors', 'list', ...given], commands)).toMatchObject({ text: '{}' });
    }
  });

  test('accepts flags before the command, and leaves everything after -- alone', () => {
    expect(parse(['--pretty', 'connectors', '--all', 'list'], commands)).toMatchObject({
      flags: { pretty: true, all: true },
    });
    expect(parse(['connectors', 'list', '--', '-'], commands)).toMatchObject({ text: '-' });
  });

  test(`throws only ConnectorErrors for any input: ${caseCount(100_000)} command lines`, {
    timeout: 300_000,
  }, () => {
    const word = fc.oneof(
      fc.constantFrom(
        ...paths.flat(),
        ...paths.flat(),
        '--json',
        '--output',
        '--pretty',
        '--all',
        '--',
        '-',
        '@',
        'help',
      ),
      fc.constantFrom(
        '--help',
        '-h',
        '--version',
        '--json={',
        '--no-browser',
        '--yes=1',
        '-x',
        '-pq',
        '--__proto__',
        '{}',
      ),
      fc.string({ maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.string({ maxLength: 10 }).map((text) => `--${text}`),
    );
    const kinds = new Set<string>();
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
        try {
          kinds.add(parse(argv, commands).kind);
        } catch (error) {
          if (!ConnectorError.is(error) || error.code !== 'invalid_params') throw error;
          kinds.add('refused');
        }
      }),
      { numRuns: caseCount(100_000), seed: 8 },
    );
    expect([...kinds].sort()).toEqual(['command', 'help', 'refused', 'version']);
  });

  test('never quotes a misplaced secret', () => {
    const canary = 'lin_api_CANARY0123456789';
    const places = [
      [canary],
      ['connectors', canary],
      ['login', canary],
      ['login', `--client-secret=${canary}`],
      ['login', '--client-secret', canary],
      ['connectors', 'list', '{}', canary],
      ['connectors', 'list', `--${canary}`],
      ['completion', canary],
    ];
    for (const argv of places) {
      const told = (() => {
        try {
          parse(argv, commands);
          return '';
        } catch (error) {
          return JSON.stringify(error) + String((error as Error).stack);
        }
      })();
      expect(told).not.toContain('CANARY');
    }
  });
});

describe('an unknown command', () => {
  test.each([
    ['plans', 'approvals'],
    ['plan', 'approvals'],
    ['definitions', 'connectors'],
    ['keys', 'tokens'],
    ['hooks', 'webhooks'],
  ])('%s is suggested as %s', async (word, meant) => {
    const { exit, error } = await runCommand([word, 'list']);
    expect([exit, error.did_you_mean]).toEqual([4, meant]);
    expect(error.message).toBe(`Unknown command '${word}'. Did you mean '${meant}'?`);
  });

  test('also gets a suggestion inside a command group', async () => {
    expect((await runCommand(['connectors', 'ls'])).error.did_you_mean).toBe('list');
    expect((await runCommand(['connectors', 'remove'])).error.did_you_mean).toBe('delete');
    expect((await runCommand(['connect', 'start'])).error.did_you_mean).toBe('session');
    expect((await runCommand(['jobs'])).error.did_you_mean).toBe('connectors jobs');
  });

  test('is reported as an unexpected argument after a command that takes JSON', async () => {
    const { exit, error } = await runCommand(['connectors', 'list', 'extra']);
    expect([exit, error.message]).toEqual([4, "Unexpected argument 'extra'."]);
    expect(error.hint).toMatch(/^connectors list takes JSON, or no argument\..*workspace/);
    const { error: other } = await runCommand(['connectors', 'list', 'lin_api_0123456789']);
    expect(other.message).toBe('Unexpected argument.');
  });
});

describe('the JSON in an argument', () => {
  const keys = { name: 'text', params: 'object', limit: 'count', fields: 'texts', settings: 'booleans' } as const;

  test('is returned unchanged, whatever its values contain', () => {
    const argument = fc.record(
      {
        name: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
        params: fc.dictionary(fc.string(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(argument, (value) => {
        const text = JSON.stringify(value);
        // Numbers beyond 2^53 arrive as strings, so none is rounded.
        fc.pre(!/\d{16}/.test(text));
        expect(parseArgument(text, 'the argument', keys)).toEqual(JSON.parse(text));
      }),
      { numRuns: caseCount(2000) },
    );
  });

  test('preserves ids beyond 2^53', () => {
    expect(parseArgument('{"params":{"id":7782342274025937895}}', 'x', keys)).toEqual({
      params: { id: '7782342274025937895' },
    });
  });

  test.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['{', 'not JSON'],
    ['[]', 'not an object'],
    ['null', 'not an object'],
    ['7', 'not an object'],
    ['{"nmae":"x"}', "did you mean 'name'"],
    ['{"name":7}', 'name must be a string'],
    ['{"name":" "}', 'name must be a string'],
    ['{"params":[]}', 'params must be an object'],
    ['{"limit":0}', 'limit must be a whole number'],
    ['{"fields":"id"}', 'fields must be a non-empty array'],
    ['{"settings":{"a":1}}', 'settings must be'],
    ['{"__proto__":{}}', '__proto__ is an unknown key'],
    ['{"first":3}', 'first is an unknown key (action parameters belong in params)'],
  ])('is rejected: %s', (text, said) => {
    expect(() => parseArgument(text, 'the argument', keys)).toThrow(said);
  });

  test('is never quoted in the message if invalid', () => {
    for (const text of ['{"api_key": CANARY}', '"CANARY', '{"CANARY99":1}', '{"name":{"CANARY":1}}']) {
      const error = (() => {
        try {
          return parseArgument(text, 'the argument', keys);
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(ConnectorError.is(error)).toBe(true);
      expect(JSON.stringify(error)).not.toContain('CANARY');
    }
  });
});

describe('a command line without a command', () => {
  test('shows help with examples if there are no arguments', async () => {
    const { exit, out, err } = await runCommand([]);
    expect([exit, err]).toEqual([0, '']);
    expect(out).toContain('agent-connectors connectors execute \'{"name"');
  });

  test.each(paths.map((path) => [path.join(' '), path] as const))(
    'shows help with examples for %s',
    async (name, path) => {
      const { exit, out } = await runCommand([...path, '--help']);
      expect(exit).toBe(0);
      expect(out).toMatch(new RegExp(`Examples\\n.*${name}`));
      expect((await runCommand(['help', ...path])).out).toBe(out);
    },
  );

  test.each([[[]], [['connectors']], ...paths.map((path) => [path])])(
    'shows help within 80 columns: %j',
    async (path) => {
      const { out } = await runCommand([...path, '--help'], { terminal: true });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
      const lines = out.replaceAll(/\u001b\[\d+m/g, '').split('\n');
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      for (const [, json] of lines.join('\n').matchAll(/'(\{[^']*\})'/g))
        expect(JSON.parse(json!)).toBeTypeOf('object');
    },
  );

  test('every example in help parses as shown', () => {
    for (const { examples } of commands) {
      for (const example of examples) {
        const line = example.replace(/^source <\((.*)\)$/, '$1').replace(/ [<|] .*$/, '');
        const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
        const parsed = parse(words.slice(1), commands);
        expect(parsed.kind).toBe('command');
        if (parsed.kind !== 'command' || !parsed.text?.startsWith('{')) continue;
        expect(parseArgument(parsed.text, 'the example', parsed.specification.keys!)).toBeTypeOf('object');
      }
    }
  });

  test('shows the version', async () => {
    expect((await runCommand(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('suggests the closest command', async () => {
    const { exit, out, error } = await runCommand(['connectors', 'exeucte']);
    expect([exit, out]).toEqual([4, '']);
    expect(error).toMatchObject({ type: 'unknown_command', did_you_mean: 'execute', retryable: false });
    expect(error.message).toContain("Did you mean 'connectors execute'?");
    expect(error.available_commands).toContain('connectors execute');
  });

  test('suggests the closest flag', async () => {
    const { exit, error } = await runCommand(['connectors', 'list', '--prety']);
    expect(exit).toBe(4);
    expect(error.message).toContain('Did you mean --pretty?');
  });

  test.each([
    [['connectors', 'list', '{}', '{}'], 'one argument'],
    [['connectors', 'list', '{}', '--json', '{}'], 'twice'],
    [['connectors', 'list', '--json', '{}', '--json', '{}'], 'twice'],
    [['connectors', 'list', '--pretty=yes'], '--pretty takes no value'],
    [
      ['connectors', 'list', '-prety'],
      'Unknown flag -prety for agent-connectors connectors list. Did you mean --pretty?',
    ],
    [['connectors', '--pretty'], 'Unknown flag --pretty for agent-connectors connectors'],
    [['login', '--client-secret', 'x'], 'Secrets are not accepted as arguments'],
    [['logout', '{}'], 'takes no argument'],
    [['completion', 'bsh'], "Did you mean 'bash'?"],
  ])('explains why %j is rejected', async (argv, said) => {
    const { exit, error } = await runCommand(argv);
    expect(exit).toBe(4);
    expect(error).toMatchObject({ type: 'validation_error', code: 'invalid_params' });
    expect(error.message).toContain(said);
  });
});
