import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runToEnd } from '../cli/binary.js';

const words = ['connectors', 'execute', 'list', 'create', 'login', 'organizations', 'use', 'skills', 'docs', 'doctor'];
const flags = [
  '--local',
  '--pretty',
  '--all',
  '--yes',
  '--json',
  '--output',
  '--help',
  '--version',
  '--',
  '-',
  '@',
  '{}',
];

test('200 runs with arbitrary arguments exit by themselves, with a known code and no stack trace', async () => {
  const word = fc.oneof(
    fc.constantFrom(...words, ...flags),
    fc.string({ maxLength: 20 }).map((text) => text.replaceAll('\0', '')),
    fc.json({ maxDepth: 2 }),
  );
  const lines = fc.sample(fc.array(word, { maxLength: 6 }), { numRuns: 200, seed: 8 });
  const codes = new Set<number | null>();
  const next = lines.values();
  const worker = async () => {
    for (const argv of next) {
      const { code, signal, out, err } = await runToEnd(argv, { LINEAR_API_KEY: 'lin_api_CANARY0123456789' }, '');
      codes.add(code);
      expect(signal, JSON.stringify(argv)).toBeNull();
      expect([0, 1, 2, 3, 4], JSON.stringify(argv)).toContain(code);
      expect(out + err).not.toMatch(/CANARY|\n\s+at |node:internal/);
      if (code !== 0) expect(JSON.parse(err)).toHaveProperty('message');
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  console.log(`measured: 200 starts ended with codes ${[...codes].sort().join(', ')}`);
  expect(codes.size).toBeGreaterThan(2);
});
