import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { nearest } from '../../errors/nearest.js';

/** A page of the documentation. */
export interface DocsPage {
  /** Path in the repository, to which the links of other pages are relative. */
  readonly path: string;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
}

/** A section that matches a search. */
export interface DocsHit {
  /** Path of the page and anchor of the section, to read it with. */
  readonly page: string;
  readonly title: string;
  /** Its lines with most of the words. */
  readonly excerpt: string;
}

interface Section {
  readonly anchor: string;
  readonly heading: string;
  /** Number of `#`. */
  readonly level: number;
  readonly text: string;
}

// Beside the bundled command line, or in `dist` of a clone.
const places = ['../docs.json.br', '../../docs.json.br', '../../../dist/docs.json.br'];

/** Reads the pages that the build put into the package. */
export async function loadPages(): Promise<readonly DocsPage[]> {
  const file = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url));
  if (!file) throw new Error('The documentation is missing. In a clone, run npm run build.');
  return JSON.parse(brotliDecompressSync(await readFile(file)).toString()) as DocsPage[];
}

/** Anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** The sections of a page; headings in code do not start one. */
function sectionsOf({ text }: DocsPage): Section[] {
  const sections: Array<{ anchor: string; heading: string; level: number; lines: string[] }> = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const [, marks, heading] = (!isCode && /^(#{1,4}) (.+)$/.exec(line)) || [];
    if (marks && heading) sections.push({ anchor: anchorOf(heading), heading, level: marks.length, lines: [] });
    sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ lines, ...section }) => ({ ...section, text: lines.join('\n').trim() }));
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether a word of a page matches a word of the query: the same, or longer or shorter by an ending. */
const matches = (word: string, query: string): boolean =>
  word === query || (query.length > 3 && word.length > 3 && (word.startsWith(query) || query.startsWith(word)));

/** Finds the sections that contain most of the words, with rare words and headings counting more. */
export function searchPages(pages: readonly DocsPage[], query: string, limit = 8): DocsHit[] {
  const terms = [...new Set(wordsOf(query))];
  const sections = pages.flatMap((page) =>
    sectionsOf(page).map((section) => {
      const [body, headings] = [wordsOf(section.text), wordsOf(`${page.title} ${section.heading}`)];
      return {
        page,
        section,
        counts: terms.map((term) => ({
          inText: body.filter((word) => matches(word, term)).length,
          inHeading: headings.some((word) => matches(word, term)),
        })),
        length: body.length,
      };
    }),
  );
  const rarity = terms.map((_, index) => {
    const count = sections.filter(({ counts }) => counts[index]!.inText > 0 || counts[index]!.inHeading).length;
    return Math.log(1 + sections.length / (1 + count));
  });
  const scored = sections.map(({ page, section, counts, length }) => {
    const score = counts.reduce((sum, { inText, inHeading }, index) => {
      const frequency = inText / (inText + 1 + length / 200);
      return sum + rarity[index]! * (frequency + (inHeading ? 1 : 0));
    }, 0);
    return { page, section, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, two) => two.score - one.score)
    .slice(0, limit)
    .map(({ page, section }) => ({
      page: section.level === 1 ? page.path : `${page.path}#${section.anchor}`,
      title: section.level === 1 ? page.title : `${page.title}: ${section.heading}`,
      excerpt: excerptOf(section, terms),
    }));
}

const maxExcerptChars = 300;

function excerptOf({ text }: Section, terms: readonly string[]): string {
  const paragraphs = text.split('\n\n').filter((part) => !/^(#|```|\|)/.test(part.trim()));
  const count = (part: string) => terms.filter((term) => wordsOf(part).some((word) => matches(word, term))).length;
  const [best = ''] = paragraphs.toSorted((one, two) => count(two) - count(one));
  const line = best.replace(/\s+/g, ' ').trim();
  return line.length > maxExcerptChars ? `${line.slice(0, maxExcerptChars).replace(/\s\S*$/, '')} …` : line;
}

/** A page without a section is shown whole up to this length, and by its sections beyond it. */
const maxPageChars = 16_000;

/** A page, or the section that its anchor names, as Markdown. Throws if it does not exist. */
export function readPage(pages: readonly DocsPage[], address: string): string {
  const [given = '', anchor] = address.split('#');
  const path = posix.normalize(given.replace(/^(https?:\/\/[^/]+)?\//, ''));
  const page = pages.find((each) => each.path === path) ?? pages.find((each) => posix.basename(each.path) === path);
  if (!page) {
    const close = nearest(
      path,
      pages.map((each) => each.path),
    );
    throw new Error(`There is no page '${path}'.${close ? ` Did you mean '${close}'?` : ''}`);
  }
  const sections = sectionsOf(page);
  if (anchor === undefined) return page.text.length <= maxPageChars ? page.text : outlineOf(page, sections);
  const first = sections.findIndex((section) => section.anchor === anchor);
  if (first === -1) {
    throw new Error(
      `${page.path} has no section '${anchor}'. Its sections: ${sections.map((each) => each.anchor).join(', ')}.`,
    );
  }
  const { level } = sections[first]!;
  const next = sections.findIndex((section, index) => index > first && section.level <= level);
  return sections
    .slice(first, next === -1 ? undefined : next)
    .map(({ text }) => text)
    .join('\n\n');
}

const outlineOf = (page: DocsPage, [first, ...rest]: readonly Section[]): string =>
  [
    first?.text ?? page.title,
    'This page is long. Read its sections one by one:',
    rest
      .map(({ level, heading, anchor }) => `${'  '.repeat(level - 2)}- ${heading}: ${page.path}#${anchor}`)
      .join('\n'),
  ].join('\n\n');
