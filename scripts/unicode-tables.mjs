/**
 * Writes the tables that words are found with, from pinned versions of the Unicode data and of OpenCC's characters on
 * npm. The tables do not depend on the Node that runs this script or the service.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// The oldest Unicode version of a supported Node: every later one treats its characters in the same way.
const version = '15.0.0';
const release = '2.0.7';
const characters = 'opencc-js@1.4.2';
const folderOfTables = 'service/src/data/records/words';
const targets = [`${folderOfTables}/unicode.ts`, `${folderOfTables}/chinese.ts`];

async function tables(load) {
  const set = async (...paths) => new Set((await Promise.all(paths.map(load))).flat());
  const category = (name) => `General_Category/${name}`;
  const script = (name) => `Script_Extensions/${name}`;
  const unassigned = await set(category('Unassigned'), category('Surrogate'));
  const letters = await set(category('Letter'));
  const numbers = await set(category('Number'));
  const marks = await set(category('Mark'));
  const ignorable = await set('Binary_Property/Default_Ignorable_Code_Point');
  const hangul = await set('Script/Hangul');
  const withoutSpaces = ['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
  const unspaced = await set(...withoutSpaces.map(script));
  const kept = await set(...['Thai', 'Lao', 'Khmer', 'Myanmar'].map((one) => `Script/${one}`));
  const inherited = await set('Script/Inherited', 'Script/Common');
  const nonspacing = await set(category('Nonspacing_Mark'), category('Enclosing_Mark'));
  const vowelPoints = await set(...['Arabic', 'Hebrew', 'Syriac', 'Thaana', 'Cyrillic'].map((one) => `Script/${one}`));
  const nuktas = new Set([0x93c, 0x9bc, 0xa3c, 0xabc, 0xb3c, 0xc3c, 0xcbc]);
  // Voiced sound marks change a Kana letter, and Thaana is not read without its vowels.
  const voiced = new Set([0x3099, 0x309a]);
  const thaana = await set('Script/Thaana');
  const tatweel = 0x640;

  const classOf = (point) => {
    if (unassigned.has(point)) return 0;
    if (ignorable.has(point) || point === tatweel) return 6;
    if (voiced.has(point)) return 5;
    if (marks.has(point)) {
      if (kept.has(point)) return 5;
      if (nuktas.has(point)) return 4;
      const isOptional = inherited.has(point) || (vowelPoints.has(point) && !thaana.has(point));
      return nonspacing.has(point) && isOptional ? 4 : 3;
    }
    if (numbers.has(point)) return 2;
    if (!letters.has(point)) return 0;
    if (hangul.has(point)) return 7;
    return unspaced.has(point) ? 5 : 1;
  };

  const folds = new Map([...(await load('Case_Folding/C')), ...(await load('Case_Folding/F'))].map(pair));
  const foldOf = (point) => folds.get(point) ?? String.fromCodePoint(point);
  const lowered = (text) => text.toLowerCase();
  // Where folding differs from lower-casing, which every Node does in the same way for these characters.
  const exceptions = [...folds.keys()]
    .filter((point) => lowered(foldOf(point)) !== lowered(String.fromCodePoint(point)))
    .map((point) => [String.fromCodePoint(point), lowered(foldOf(point))]);
  // Digits are assigned in tens.
  const decimals = await set(category('Decimal_Number'));
  const zeros = [...decimals].sort((one, other) => one - other).filter((_, index) => index % 10 === 0);
  const otherZeros = zeros.filter((point) => String.fromCodePoint(point).normalize('NFKC') !== '0');
  const changes = (point) => {
    const text = String.fromCodePoint(point);
    // Where folding keeps a capital letter, as in Cherokee, both sides are compared in lower case.
    const isFolded = foldOf(point) !== text || lowered(text) !== text;
    return marks.has(point) || isFolded || text.normalize('NFC') !== text || isJamo(point);
  };
  return `/**
 * Tables of Unicode ${version}, written by \`node scripts/unicode-tables.mjs\`. Runs are written as the class or kind, and the
 * length in base 36.
 */

/** Classes of code points; see \`Class\` in classes.ts. */
export const classRuns =
  '${runs(classOf)}';

/** 1 for code points that are not assigned in this version. */
export const unassignedRuns =
  '${runs((point) => Number(unassigned.has(point)))}';

/** 1 for code points, except ASCII, that composing or case folding may change. */
export const foldedRuns =
  '${runs((point) => Number(point > 127 && !unassigned.has(point) && changes(point)), 24)}';

/** Characters whose full case folding is not their lower case, each followed by the folding. */
export const foldExceptions =
  '${exceptions.flat().map(escaped).join(' ')}';

/** The zeros of other scripts, which nine digits follow, in base 16. */
export const decimalZeros =
  '${otherZeros.map((point) => point.toString(16)).join(' ')}';
`;
}

/** Pairs of different characters of the first plane, from entries separated by `|`. */
const differing = (listed) =>
  listed
    .split('|')
    .map((entry) => entry.split(' ').slice(0, 2))
    .filter(([from, to]) => from.length === 1 && to.length === 1 && from !== to);

/** Characters that are written for each other, and that the dictionaries leave out. */
const alternatives = '著 着|帐 账|甚 什|髙 高|﨑 崎';

/** Traditional characters, and Japanese ones that differ from them, each followed by the simplified one. */
function chinese(simplified, japanese) {
  const found = new Map([...differing(simplified), ...differing(alternatives)]);
  for (const [traditional, own] of differing(japanese)) {
    const target = found.get(traditional) ?? traditional;
    if (own !== target && !found.has(own)) found.set(own, target);
  }
  // Where a character is simplified further.
  const last = (to, left = 3) => (left > 0 && found.has(to) ? last(found.get(to), left - 1) : to);
  const pairs = [...found].map(([from, to]) => [from, last(to)]).filter(([from, to]) => from !== to);
  return `/**
 * Traditional Chinese and Japanese characters, each followed by the simplified Chinese one: written by
 * \`node scripts/unicode-tables.mjs\` from the dictionaries of OpenCC (\`${characters}\`), Copyright (c) BYVoid and
 * contributors, Apache License 2.0.
 */
export const simplifications =
  '${pairs.flat().join('')}';
`;
}

function pair([from, to]) {
  const points = Array.isArray(to) ? to : [to];
  return [Number(from), String.fromCodePoint(...points.map(Number))];
}

/** Hangul letters that combine into syllables. */
function isJamo(point) {
  return point >= 0x1100 && point <= 0x11ff;
}

const escaped = (text) =>
  [...text].map((one) => (one.length === 1 ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : one)).join('');

/** Runs of equal classes; a gap of at most \`slack\` code points inside a run of 1 is filled. */
function runs(classOf, slack = 0) {
  const found = [];
  for (let point = 0; point < 0x110000; point++) {
    const value = classOf(point);
    const last = found.at(-1);
    if (last?.value === value) last.length++;
    else found.push({ value, length: 1 });
  }
  const merged = [];
  for (const [index, one] of found.entries()) {
    const fills = one.value === 0 && one.length <= slack && index > 0 && index < found.length - 1;
    const value = fills ? 1 : one.value;
    const last = merged.at(-1);
    if (last?.value === value) last.length += one.length;
    else merged.push({ value, length: one.length });
  }
  return merged.map(({ value, length }) => `${value}${length.toString(36)}`).join(' ');
}

const folder = mkdtempSync(join(tmpdir(), 'unicode-'));
try {
  const name = `@unicode/unicode-${version}`;
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', `${name}@${release}`, characters]);
  const read = async (path) => (await import(pathToFileURL(join(folder, 'node_modules', path)))).default;
  const dictionary = (file) => read(`opencc-js/dist/esm-lib/dict/${file}.js`);
  writeFileSync(targets[0], await tables((path) => read(join(name, path, 'code-points.mjs'))));
  writeFileSync(targets[1], chinese(await dictionary('TSCharacters'), await dictionary('JPShinjitaiCharactersRev')));
} finally {
  rmSync(folder, { recursive: true });
}
execFileSync('npx', ['biome', 'check', '--write', ...targets]);
