import { describe, expect, test } from 'vitest';
import {
  detections,
  effects,
  findCycles,
  hasWrongLength,
  mutualFolders,
  smallParts,
  strayImports,
  upwardImports,
  withoutExtension,
} from './architecture-rules.js';
import { vendorsNamed } from './vendor-names.js';

describe('the rules themselves', () => {
  test.each([
    ['connectors/gong/index.ts', "import ky from 'ky';"],
    ['connectors/gong/index.ts', "import { readFileSync } from 'node:fs';"],
    ['connectors/gong/index.ts', "import { id } from '../linear/operations.js';"],
    ['connectors/gong/index.ts', "import { local } from '../../src/direct/transport.js';"],
    ['connectors/gong/index.ts', "export { createSandbox } from 'agent-connectors-sandbox';"],
    ['connectors/gong/index.ts', "const sandbox = () => import('../../sandbox/src/index.js');"],
    ['connectors/index.ts', "import { LinearConnector } from './linear/index.js';"],
    ['connectors/index.ts', "export type { Issue } from './linear/index.js';"],
    ['src/call/shape.ts', "import { join } from 'node:path';"],
    ['src/call/shape.ts', "import { join } from 'path';"],
    ['src/call/shape.ts', "import ky from 'ky';"],
    ['src/call/shape.ts', "import { ConnectorError } from '../index.js';"],
    ['src/index.ts', "export { shape } from './call/shape.js';"],
    ['src/connector.ts', "import { connectors } from '../connectors/index.js';"],
    ['src/direct/transport.ts', "import type { KyInstance } from 'ky';"],
    ['src/direct/transport.ts', "const load = () => import('p-retry');"],
    ['src/http/exchange.ts', "let retry: import('p-retry').Options;"],
    ['src/tools/execute.ts', "import { argv } from 'node:process';"],
    ['sandbox/src/index.ts', "import { parseJson } from '../../src/http/json.js';"],
    ['sandbox/src/index.ts', "import type { Issue } from 'agent-connectors/linear';"],
    ['sandbox/src/index.ts', "import { describe } from 'vitest';"],
    ['sandbox/src/testing/index.ts', "import { LinearConnector } from 'agent-connectors/linear';"],
    ['sandbox/src/index.ts', "import { selections } from '../../connectors/linear/records.js';"],
    ['elsewhere/index.ts', ''],
  ])('reject, in %s: %s', (file, text) => {
    expect(strayImports(file, text)).toHaveLength(1);
  });

  test.each([
    [
      'connectors/gong/index.ts',
      "import * as z from 'zod'; import { get } from '../../src/authoring.js'; import './records.js';",
    ],
    ['connectors/index.ts', "const gong = () => import('./gong/index.js');"],
    ['src/http/exchange.ts', "import ky from 'ky';"],
    ['src/cli/main.ts', "import { argv } from 'node:process';"],
    [
      'sandbox/src/testing/index.ts',
      "import { test } from 'vitest'; import { ConnectorError } from 'agent-connectors';",
    ],
    ['sandbox/src/server.ts', "import { createServer } from 'node:http'; import { parse } from 'graphql';"],
  ])('allow, in %s: %s', (file, text) => {
    expect(strayImports(file, text)).toEqual([]);
  });

  test('reject an import without its extension', () => {
    expect(withoutExtension('src/a.ts', "import './b'; import { c } from './c.ts'; import './d.js';")).toEqual([
      './b',
      './c.ts',
    ]);
  });

  test('reject the 501st line', () => {
    expect([500, 501].map((lines) => hasWrongLength('src/a.ts', 'x\n'.repeat(lines)))).toEqual([false, true]);
  });

  test.each([
    ["if (connector === 'acme') go();"],
    ["const odd = 'acme' !== manifest.name;"],
    ['switch (this.manifest.name) { default: }'],
    ["const special = new Set(['linear']);"],
  ])('reject the connector check: %s', (text) => {
    expect(detections(text, ['linear', 'gong'])).toHaveLength(1);
  });

  test.each([
    ["const probes = { 'google-analytics': 1 };"],
    ['const probes = { gong: 1 };'],
    ['const x = env.GOOGLE_ANALYTICS_PROPERTY_ID;'],
    ['const isGranola = true;'],
    ['const text = `Linear is down.`;'],
  ])('reject the vendor in: %s', (text) => {
    expect(vendorsNamed('service/src/domain/a.ts', text)).toHaveLength(1);
  });

  test('allow a vendor in a comment, and a word that only starts like one', () => {
    expect(vendorsNamed('src/a.ts', '// such as linear\nconst linearly = 1;')).toEqual([]);
  });

  test.each([["load(fetch('/'))"], ['const body = await reply;'], ['console.log(1)'], ['setTimeout(go)']])(
    'reject the I/O in: %s',
    (text) => {
      expect(effects('connectors/gong/calls.ts', text)).toHaveLength(1);
    },
  );

  test('allow a name that only looks like I/O', () => {
    expect(effects('connectors/gong/calls.ts', "// fetch('/')\nconst a = { fetch: 1, b: calls.fetch };")).toEqual([]);
  });

  test('find a cycle of three, and none in a chain', () => {
    const chain = new Map([
      ['a', ['b', 'd']],
      ['b', ['c']],
      ['c', []],
      ['d', []],
    ]);
    expect(findCycles(chain)).toEqual([]);
    expect(findCycles(new Map([...chain, ['c', ['a']]]))).toEqual([['a', 'b', 'c']]);
    expect(findCycles(new Map([['a', ['a']]]))).toEqual([['a']]);
  });

  test.each([
    ['service/src/data/state/database.ts', 'service/src/domain/http-error.ts'],
    ['service/src/domain/http-error.ts', 'service/src/web/app.ts'],
    ['connectors/gong/index.ts', 'src/cli/commands.ts'],
    ['src/direct/transport.ts', 'src/authoring.ts'],
    ['sandbox/src/vendor.ts', 'sandbox/src/linear/vendor.ts'],
    ['sandbox/src/server.ts', 'sandbox/src/testing/index.ts'],
  ])('find the upward import from %s to %s', (from, to) => {
    expect(upwardImports(new Map([[from, [to]]]))).toEqual([`${from} -> ${to}`]);
    expect(upwardImports(new Map([[to, [from]]]))).toEqual([]);
  });

  test('find two folders that import each other, but not a folder and its subfolder', () => {
    const graph = new Map([
      ['src/call/a.ts', ['src/http/b.ts', 'src/call/part/d.ts']],
      ['src/http/c.ts', ['src/call/e.ts']],
      ['src/call/part/d.ts', ['src/call/e.ts']],
      ['src/callback/f.ts', ['src/call/e.ts']],
    ]);
    expect(mutualFolders(graph)).toEqual(['src/call <-> src/http']);
    expect(mutualFolders(new Map([...graph, ['src/http/c.ts', []]]))).toEqual([]);
    expect(mutualFolders(new Map([...graph, ['src/call/a.ts', ['src/callback/g.ts']]]))).toEqual([
      'src/call <-> src/callback',
    ]);
  });

  test('find a file below 40 lines with a single importer', () => {
    const sources = [
      { file: 'a.ts', text: 'x\n'.repeat(39) },
      { file: 'b.ts', text: 'x\n'.repeat(40) },
      { file: 'c.ts', text: 'x\n' },
    ];
    expect(
      smallParts(
        sources,
        new Map([
          ['d.ts', ['a.ts', 'b.ts', 'c.ts']],
          ['e.ts', ['c.ts']],
        ]),
      ),
    ).toEqual(['a.ts']);
  });

  test('reject a file that belongs to no layer', () => {
    expect(() => upwardImports(new Map([['service/src/elsewhere/a.ts', []]]))).toThrow('belongs to no layer');
  });
});
