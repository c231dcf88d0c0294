import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { canonicalJson, digestOf, digestOfInput } from '../../../service/src/data/state/canonical-json.js';

const long = `é"${'😀'.repeat(200_000)}\ud800`;

it.each([
  ['sorts keys', { b: 1, a: [undefined, null] }, '["{",["a",[null,null]],["b",1]]'],
  ['keeps special keys apart', JSON.parse('{"__proto__":{}}'), '["{",["__proto__",["{"]]]'],
  ['keeps empty lists', { a: [], b: {} }, '["{",["a",[]],["b",["{"]]]'],
  ['escapes long texts whole', [long], JSON.stringify([long])],
])('%s', async (_, value, text) => {
  expect(canonicalJson(value) === text).toBe(true);
  const digest = createHash('sha256').update(text).digest('base64url');
  expect([digestOf(value), await digestOfInput(value)]).toEqual([digest, digest]);
});

it('lets other work run while a long input is hashed', async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  });
  await digestOfInput(Array.from({ length: 40 }, () => long));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});
