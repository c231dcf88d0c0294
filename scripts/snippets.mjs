/**
 * Keeps the code in the documentation correct. A fence below `<!-- snippet: path#region -->` is that region of that
 * file, and one below `<!-- snippet: path -->` is the whole file. Every ts or js fence compiles when pasted into an
 * empty project: alone, after the code above it if the comment ends in `continues`, or as the file named by `as` in the
 * comment, which other fences then import. The guides and the README have no other code: it comes from files that tests
 * run. `--check` reports differences; otherwise fences are written.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { errorsIn } from './snippet-types.mjs';

const check = process.argv.includes('--check');
const fence =
  /^(?<indent> *)```(?<language>ts|js|typescript|javascript|mjs|sh|json|yaml)\b[^\n]*\n(?<code>.*?)^\k<indent>```$/gms;
const marker =
  /<!-- snippet: (?<path>[^\s#]+)(?:#(?<region>[\w-]+))?(?<continues> continues)?(?: as (?<file>\S+))? -->\n\s*$/;
const compiled = /^(?:ts|js|typescript|javascript)$/;

/** Pages that show only code that is run. */
const guides = ['README.md', ...inFolder('docs/guides')];

/** Pages whose code is checked. */
function pages() {
  const connectors = folders('connectors').map((name) => `connectors/${name}/guide.md`);
  const all = [
    'CONTRIBUTING.md',
    'sandbox/README.md',
    'skills/agent-connectors/SKILL.md',
    ...guides,
    ...inFolder('docs'),
    ...connectors,
  ];
  return all.filter((path) => existsSync(path));
}

/** Markdown files in a folder. */
function inFolder(folder) {
  return readdirSync(folder).flatMap((name) => (name.endsWith('.md') ? `${folder}/${name}` : []));
}

const folders = (path) =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));

const lineOf = (text, index) => text.slice(0, index).split('\n').length;
const indentCode = (code, indent) => code.replace(/^(?=[^\n])/gm, indent);

/**
 * The lines between `// #region name` and `// #endregion`, without their common indent; in shell scripts, both start
 * with `#`. A region may have several parts, and a part may belong to several regions: `// #region write, pages`.
 */
function regionOf(source, name) {
  if (name === undefined) return source;
  const parts = [...source.matchAll(/^ *(?:\/\/|#) #region (?<names>[^\n]+)\n(?<text>.*?)^ *(?:\/\/|#) #endregion/gms)];
  const texts = parts.flatMap(({ groups }) => (groups.names.split(', ').includes(name) ? dedent(groups.text) : []));
  return texts.length > 0 ? `${texts.reduce(join)}\n` : undefined;
}

function dedent(text) {
  const lines = text.trimEnd().split('\n');
  const margin = Math.min(...lines.filter((line) => line.trim()).map((line) => line.search(/\S/)));
  return lines
    .map((line) => line.slice(margin))
    .join('\n')
    .trim();
}

/** Imports stay together; other parts are separated by a blank line. */
const join = (above, below) =>
  above +
  (/^(?:import|\} from) .*$/.test(above.split('\n').at(-1)) && below.startsWith('import ') ? '\n' : '\n\n') +
  below;

/** Reads a page: its text with the regions inserted, its errors, and the code to compile. */
function readPage(page, text) {
  const problems = [];
  const code = [];
  const written = text.replace(fence, (...match) => {
    const [whole, offset, groups] = [match[0], match.at(-3), match.at(-1)];
    const line = lineOf(text, offset);
    const named = marker.exec(text.slice(0, offset))?.groups;
    const source = named && existsSync(named.path) ? readFileSync(named.path, 'utf8') : undefined;
    const region = source === undefined ? undefined : regionOf(source, named.region);
    const wanted = named?.continues && region ? `// Continues the code above.\n${region}` : region;
    if (compiled.test(groups.language)) {
      const language = groups.language.startsWith('t') ? 'ts' : 'js';
      const before = named?.continues ? code.at(-1) : undefined;
      code.push({ page, line: line + 1, language, code: wanted ?? groups.code, file: named?.file, before });
    }
    if (!named) {
      if (guides.includes(page)) problems.push(`${page}:${line} is not from any file that is run`);
      return whole;
    }
    if (region === undefined) {
      problems.push(`${page}:${line} names ${named.path}#${named.region}, which does not exist`);
      return whole;
    }
    const indented = indentCode(wanted, groups.indent);
    if (indented !== groups.code)
      problems.push(`${page}:${line} is not the text of ${named.path}#${named.region ?? ''}`);
    const [opening] = whole.split('\n', 1);
    return `${opening}\n${indented}${groups.indent}\`\`\``;
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
