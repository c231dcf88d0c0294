// What the text reader loses: compares the texts of all documents in a folder of checkouts with those of other readers.
//
// A word is lost if at least two references have it more often than we do; the smaller of their counts counts. Words are
// sequences of at least two letters or digits, in NFKC and lower case, without a digit-only word, whose spelling depends
// on the number format. A file counts as compared if at least two references read it. Hidden content is included, since
// references include it. Doubled means that we have a word more often than every reference; joined texts that only we
// read, such as comments, count as well, so it is an upper bound.
//
//   npm run build
//   python3 -m venv venv && venv/bin/pip install (see references.py); apt-get install poppler-utils
//   PYTHON=venv/bin/python node bench/documents/lost.mjs folder [docx,xlsx,pptx,pdf]
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';

const [folder, kinds = 'docx,xlsx,pptx,pdf'] = process.argv.slice(2);
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
const seen = new Set();
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !/fuzz|crash/i.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name));

const words = (text) => {
  const counts = new Map();
  for (const [word] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{M}\p{N}]{2,}/gu)) {
    if (!/^\d+$/.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
};

const references = spawn(process.env.PYTHON ?? 'python3', [join(root, 'bench/documents/references.py')], {
  stdio: ['pipe', 'pipe', 'ignore'],
});
const answers = createInterface({ input: references.stdout })[Symbol.asyncIterator]();

for (const kind of kinds.split(',')) {
  const sum = { compared: 0, words: 0, lost: 0, doubled: 0, over: [] };
  let milliseconds = 0;
  for (const path of files.filter((file) => file.toLowerCase().endsWith(`.${kind}`))) {
    const bytes = new Uint8Array(readFileSync(path));
    const hash = createHash('sha1').update(bytes).digest('hex');
    if (bytes.length === 0 || bytes.length > maxBytes || seen.has(hash)) continue;
    seen.add(hash);
    references.stdin.write(`${JSON.stringify([path, kind])}\n`);
    const { value } = await answers.next();
    const texts = Object.values(JSON.parse(value)).map(words);
    if (texts.length < 2) continue;
    const start = performance.now();
    const download = async () => new Blob([bytes]).stream();
    const { text } = await textOf({ mimeType: '', name: `a.${kind}`, size: bytes.length, download });
    milliseconds += performance.now() - start;
    const ours = words(text ?? '');
    let [total, lost] = [0, 0];
    const examples = [];
    for (const word of new Set(texts.flatMap((counts) => [...counts.keys()]))) {
      const counts = texts.map((known) => known.get(word) ?? 0).sort((one, other) => other - one);
      total += counts[1];
      const missing = Math.max(0, counts[1] - (ours.get(word) ?? 0));
      lost += missing;
      if (missing > 0) examples.push(word);
      sum.doubled += counts[0] > 0 ? Math.max(0, (ours.get(word) ?? 0) - counts[0]) : 0;
    }
    sum.compared += 1;
    sum.words += total;
    sum.lost += lost;
    if (lost > 0.02 * total) sum.over.push({ path, lost, total, examples: examples.slice(0, 8).join(' ') });
  }
  sum.over.sort((one, other) => other.lost - one.lost);
  const share = ((100 * sum.lost) / Math.max(1, sum.words)).toFixed(3);
  console.log(
    `${kind}: ${sum.compared} compared, ${sum.words} words, ${share}% lost, ${sum.doubled} doubled, ${sum.over.length} files over 2%, ${Math.round(milliseconds)} ms`,
  );
  for (const { path, lost, total, examples } of sum.over.slice(0, Number(process.env.SHOW ?? 10))) {
    console.log(`  ${lost}/${total} ${path.slice(folder.length + 1)}: ${examples}`);
  }
}
references.stdin.end();
await close();
