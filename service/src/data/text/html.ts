import { readMarkup } from './markup.js';

const silent = new Set(['head', 'noscript', 'object', 'script', 'style', 'svg', 'template']);
const blocks = new Set(
  'address article aside blockquote body dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html main nav ol p pre section table ul'.split(
    ' ',
  ),
);
const lines = new Set(['br', 'dd', 'dt', 'li', 'tr']);
/** What stands between words, the weakest first: of two that meet the stronger one stays. */
const gaps = ['', ' ', ' | ', '\n', '\n\n'];

/** The words of a page; headings and lists are marked as in Markdown, cells divided by `|`. */
export async function htmlText(source: string): Promise<string> {
  const pieces: string[] = [];
  let length = 0;
  let skipped = 0;
  let preformatted = 0;
  /** What has to stand between what was said and what comes next. */
  let gap = '';
  /** What stands before the next words, such as the mark of a heading. */
  let mark = '';
  const part = (other: string) => {
    if (gaps.indexOf(other) > gaps.indexOf(gap)) gap = other;
  };
  const say = (text: string) => {
    const said = (length === 0 ? '' : gap) + mark + text;
    pieces.push(said);
    length += said.length;
    gap = '';
    mark = '';
  };

  await readMarkup(source, false, {
    open(name) {
      if (silent.has(name)) skipped += 1;
      if (skipped > 0) return;
      if (name === 'pre') preformatted += 1;
      if (blocks.has(name)) part('\n\n');
      else if (lines.has(name)) part('\n');
      const level = /^h([1-6])$/.exec(name)?.[1];
      if (level !== undefined) mark = `${'#'.repeat(Number(level))} `;
      else if (name === 'li') mark = '- ';
    },
    text(text) {
      if (skipped > 0) return;
      if (preformatted > 0) {
        say(text);
        return;
      }
      const words = text.replace(/\s+/g, ' ');
      if (words.startsWith(' ')) part(' ');
      const inner = words.trim();
      if (inner === '') return;
      say(inner);
      if (words.endsWith(' ')) part(' ');
    },
    close(name) {
      if (silent.has(name)) skipped = Math.max(0, skipped - 1);
      if (skipped > 0) return;
      if (name === 'pre') preformatted -= 1;
      if (/^h[1-6]$|^li$/.test(name)) mark = '';
      if (blocks.has(name)) part('\n\n');
      else if (lines.has(name)) part('\n');
      else if (name === 'td' || name === 'th') part(' | ');
    },
    length: () => length,
  });
  return pieces.join('');
}
