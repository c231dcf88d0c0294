/**
 * Keeps the code in the documentation true. A fence below `<!-- snippet: path#region -->` is that region of that file, and
 * one below `<!-- snippet: path -->` the whole of it; any other ts or js fence compiles as it stands. The guides and
 * the README have no other: their code comes from files that tests run. `--check` reports, without it fences are written.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { errorsIn } from './snippet-types.mjs';

const check = process.argv.includes('--check');
const fence =
  /^(?<indent> *)```(?<language>ts|js|typescript|javascript|mjs|sh|json)\b[^\n]*\n(?<code>.*?)^\k<indent>```$/gms;
const marker = /<!-- snippet: (?<path>[^\s#]+)(?:#(?<region>[\w-]+))? -->\n\s*$/;
const compiled = /^(?:ts|js|typescript|javascript)$/;

/** Pages that show nothing but what is run. */
const guides = ['README.md', ...inFolder('docs/guides')];

/** Pages whose code is kept true. */
function pages() {
  const connectors = folders('connectors').map((name) => `connectors/${name}/guide.md`);
  const all = ['CONTRIBUTING.md', 'sandbox/README.md', ...guides, ...inFolder('docs'), ...connectors];
  return all.filter((path) => existsSync(path));
}

/** Markdown files of a folder. */
function inFolder(folder) {
  return readdirSync(folder).flatMap((name) => (name.endsWith('.md') ? `${folder}/${name}` : []));
}

const folders = (path) =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));

const lineOf = (text, index) => text.slice(0, index).split('\n').length;
const indentCode = (code, indent) => code.replace(/^(?=[^\n])/gm, indent);

/** The lines between `// #region name` and `// #endregion`, without the indent that they share; `#` opens both in a shell. */
function regionOf(source, name) {
  if (name === undefined) return source;
  const lines = source.split('\n');
  const start = lines.findIndex((line) => new RegExp(`^\\s*(?://|#) #region ${name}$`).test(line));
  if (start < 0) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => /^\s*(?:\/\/|#) #endregion/.test(line));
  if (length < 0) return undefined;
  const body = lines.slice(start + 1, start + 1 + length);
  const margin = Math.min(...body.filter((line) => line.trim()).map((line) => line.search(/\S/)));
  return `${body
    .map((line) => line.slice(margin))
    .join('\n')
    .trimEnd()}\n`;
}

/** Reads one page: its text with the regions put in, what is wrong, and the code to compile. */
function readPage(page, text) {
  const problems = [];
  const code = [];
  const written = text.replace(fence, (...match) => {
    const [whole, offset, groups] = [match[0], match.at(-3), match.at(-1)];
    const line = lineOf(text, offset);
    const named = marker.exec(text.slice(0, offset))?.groups;
    if (!named) {
      if (guides.includes(page)) problems.push(`${page}:${line} is from no file that is run`);
      const language = groups.language.startsWith('t') ? 'ts' : 'js';
      if (compiled.test(groups.language)) code.push({ page, line: line + 1, language, code: groups.code });
      return whole;
    }
    const source = existsSync(named.path) ? readFileSync(named.path, 'utf8') : undefined;
    const region = source === undefined ? undefined : regionOf(source, named.region);
    if (region === undefined) {
      problems.push(`${page}:${line} names ${named.path}#${named.region}, which does not exist`);
      return whole;
    }
    const wanted = indentCode(region, groups.indent);
    if (wanted !== groups.code) problems.push(`${page}:${line} is not the text of ${named.path}#${named.region ?? ''}`);
    const [opening] = whole.split('\n', 1);
    return `${opening}\n${wanted}${groups.indent}\`\`\``;
  });
  return { written, problems, code };
}

const read = pages().map((page) => ({ page, text: readFileSync(page, 'utf8') }));
const results = read.map(({ page, text }) => ({ page, text, ...readPage(page, text) }));
const problems = results.flatMap((result) => result.problems);

if (!check) {
  for (const { page, text, written } of results) {
    if (written === text) continue;
    writeFileSync(page, written);
    console.log(`wrote ${page}`);
  }
}
const wrong = [
  ...(check ? problems : problems.filter((problem) => !problem.includes(' is not the text of '))),
  ...errorsIn(results.flatMap((result) => result.code)),
];
for (const problem of wrong) console.error(problem);
process.exitCode = wrong.length > 0 ? 1 : 0;
