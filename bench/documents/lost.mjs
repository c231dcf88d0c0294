// What the text reader loses: compares the texts of all documents in a folder of checkouts with those of other readers.
//
// A word is lost if at least two references have it more often than we do; the smaller of their counts counts. Words are
// sequences of at least two letters or digits, in NFKC and lower case, without numbers, whose spelling depends on the
// number format. Chinese and Japanese do not separate words, so each character is one. Words split by a hyphen at the end of a line count as joined, and the letters of an Arabic
// lam-alef, which many readers reverse, may be in any order. A file counts as compared if at least two references read
// it, and its text does not exceed the length that is stored. Hidden content is included, since references include it.
//
// Doubled means that we have a word more often than every reference, and more often than all parts of the file together;
// invented that no reference has it, nor any part of the file. The parts are those of documents in it, too, with names,
// attributes, and the annotations of a PDF. A word that we invent is glued if it is two adjacent words
// of a reference; a lost word is split if it is two adjacent words of ours.
//
// A reference that takes too long on a file is skipped for it. With a folder for the references' texts, each file is
// read by them only once, so a run that was ended goes on where it was.
//
//   npm run build
//   python3 -m venv venv && venv/bin/pip install (see references.py); apt-get install poppler-utils
//   PYTHON=venv/bin/python CACHE=texts node bench/documents/lost.mjs folder [docx,xlsx,pptx,pdf,html]
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';

const [folder, kinds = 'docx,xlsx,pptx,pdf,html'] = process.argv.slice(2);
const { CACHE: cache, PYTHON: python = 'python3', SHOW: shown = '10' } = process.env;
const root = fileURLToPath(new URL('../../', import.meta.url));
const outDir = join(root, 'node_modules/.lost');
await build({
  config: false,
  entry: {
    reader: join(root, 'service/src/data/text/reader.ts'),
    'text-worker': join(root, 'service/src/data/text/worker.ts'),
  },
  format: 'esm',
  target: 'es2023',
  platform: 'node',
  outDir,
  skipNodeModulesBundle: true,
  silent: true,
  outExtension: () => ({ js: '.js' }),
  tsconfig: join(root, 'tsconfig.json'),
});
const { openTextReader } = await import(join(outDir, 'reader.js'));
const { textOf, close } = openTextReader({ indexesHidden: true });

const maxBytes = 4 * 1024 * 1024;
/** A reference's own limits come first; some readers cannot be interrupted. */
const referenceLimitMs = 600_000;
if (cache) mkdirSync(cache, { recursive: true });

const wordsOf = (text) =>
  text
    .normalize('NFKC')
    .replace(/\u00ad(?!\s*\n)/g, '')
    .replace(/[-\u00ad\u2010]\s*\n\s*(?=\p{Ll})/gu, '')
    .replace(/[لاأإآ]{2,}/g, (letters) => [...letters].sort().join(''))
    .toLowerCase()
    .match(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{N}]){2,}/gu,
    ) ?? [];
/** Labels that only we write. */
const labels =
  /^(?:Notes:|Comments:|Footers:|Header:|Footer:|Hint:|Choices:|Comment(?: by [^:\n]*)?:)|^\[[A-Z]+\d+\] |\[Hidden(?:: |\])|^(?:Embedded|Imported) document\b.*$/gm;
const isCompared = (word) => !/^\d+e?$/.test(word);

function countsOf(words) {
  const counts = new Map();
  for (const word of words) if (isCompared(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const pairsOf = (words) => new Set(words.slice(1).map((word, index) => words[index] + word));

/** Reads files with the references in a process of its own, which is replaced if it does not answer. */
function openReferences() {
  let child;
  let answers;
  return {
    async textsOf(path, kind, hash) {
      const stored = cache && join(cache, `${kind}-${hash}.json`);
      if (stored && existsSync(stored)) return JSON.parse(readFileSync(stored, 'utf8'));
      if (!child) {
        child = spawn(python, [join(root, 'bench/documents/references.py')], { stdio: ['pipe', 'pipe', 'ignore'] });
        child.stdin.on('error', () => undefined);
        answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      }
      const current = child;
      const timer = setTimeout(() => current.kill('SIGKILL'), referenceLimitMs);
      current.stdin.write(`${JSON.stringify([path, kind])}\n`);
      const { value } = await answers.next();
      clearTimeout(timer);
      if (value === undefined) child = undefined;
      const texts = value === undefined ? {} : JSON.parse(value);
      if (stored) writeFileSync(stored, JSON.stringify(texts));
      return texts;
    },
    close: () => child?.stdin.end(),
  };
}

function compare(texts, contained, text) {
  const references = texts.map(wordsOf);
  const parts = countsOf(wordsOf(contained));
  const counted = references.map(countsOf);
  const own = wordsOf(text.replace(labels, ''));
  const ours = countsOf(own);
  const result = {
    total: 0,
    lost: 0,
    doubled: 0,
    invented: 0,
    glued: 0,
    split: 0,
    examples: [],
    repeated: [],
    added: [],
  };
  const ownPairs = pairsOf(own);
  for (const word of new Set(counted.flatMap((counts) => [...counts.keys()]))) {
    const counts = counted.map((known) => known.get(word) ?? 0).sort((one, other) => other - one);
    result.total += counts[1];
    const missing = Math.max(0, counts[1] - (ours.get(word) ?? 0));
    const most = Math.max(counts[0], parts.get(word) ?? 0);
    result.lost += missing;
    if (missing > 0 && ownPairs.has(word)) result.split += missing;
    if (missing > 0) result.examples.push(word);
    if (counts[0] === 0 || (ours.get(word) ?? 0) <= most) continue;
    result.doubled += ours.get(word) - most;
    result.repeated.push(word);
  }
  const pairs = references.map(pairsOf);
  for (const [word, count] of ours) {
    if (parts.has(word) || counted.some((counts) => counts.has(word))) continue;
    result.invented += count;
    result.added.push(word);
    if (pairs.some((known) => known.has(word))) result.glued += count;
  }
  return result;
}

const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !/fuzz|crash/i.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name));
const seen = new Set();
const readers = [openReferences(), openReferences()];
const share = (part, whole) => ((100 * part) / Math.max(1, whole)).toFixed(3);

for (const kind of kinds.split(',')) {
  const sum = { compared: 0, cutOff: 0, total: 0, lost: 0, doubled: 0, invented: 0, glued: 0, split: 0 };
  const results = [];
  let milliseconds = 0;
  const pending = files.filter((file) => file.toLowerCase().endsWith(`.${kind}`));
  const readFiles = async (references) => {
    for (let path = pending.shift(); path !== undefined; path = pending.shift()) {
      const bytes = new Uint8Array(readFileSync(path));
      const hash = createHash('sha1').update(bytes).digest('hex');
      if (bytes.length === 0 || bytes.length > maxBytes || seen.has(hash)) continue;
      seen.add(hash);
      const texts = Object.values(await references.textsOf(path, kind, hash));
      if (texts.length < 2) continue;
      const parts = await references.textsOf(path, kind === 'pdf' ? 'annotations' : 'contents', hash);
      const start = performance.now();
      const download = async () => new Blob([bytes]).stream();
      const { text, state, cause, detail } = await textOf({
        mimeType: '',
        name: `a.${kind}`,
        size: bytes.length,
        download,
      });
      milliseconds += performance.now() - start;
      if (state === 'partial' && cause === 'too_large') {
        sum.cutOff += 1;
        continue;
      }
      const result = compare(texts, Object.values(parts).join('\n'), text ?? '');
      sum.compared += 1;
      for (const key of Object.keys(sum)) if (key in result) sum[key] += result[key];
      results.push({ ...result, path: path.slice(folder.length + 1), note: state === 'read' ? '' : (detail ?? state) });
    }
  };
  await Promise.all(readers.map(readFiles));
  const over = results.filter(({ lost, total }) => lost > 0.02 * total).length;
  const { compared, cutOff, total, lost, split, doubled, invented, glued } = sum;
  console.log(
    `${kind}: ${compared} compared (${cutOff} others exceed the stored length), ${total} words, ${share(lost, total)}% lost (${lost}, split ${split}), ${over} files over 2%, ${doubled} doubled, ${invented} invented (glued ${glued}), ${Math.round(milliseconds)} ms`,
  );
  const print = (label, list, key, examples) => {
    for (const result of list.sort((one, other) => other[key] - one[key]).slice(0, Number(shown))) {
      if (result[key] === 0) continue;
      const words = result[examples].slice(0, 8).join(' ');
      console.log(`  ${label} ${result[key]}/${result.total} ${result.path}: ${words} ${result.note}`);
    }
  };
  print('lost', results, 'lost', 'examples');
  if (!process.env.ADDED) continue;
  print('invented', results, 'invented', 'added');
  print('doubled', results, 'doubled', 'repeated');
}
for (const references of readers) references.close();
await close();
