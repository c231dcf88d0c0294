import type { Parts } from './archive.js';
import { readMarkup } from './markup.js';
import { relatedPaths, sourceOf, unescapeText } from './parts.js';

/** Names of the authors of threaded comments, by id. */
export async function peopleOf(source: string): Promise<ReadonlyMap<string, string>> {
  const people = new Map<string, string>();
  await readMarkup(source, true, {
    open(name, attributes) {
      if (name === 'person') people.set(attributes.id ?? '', attributes.displayName ?? '');
    },
  });
  return people;
}

/** A sheet's comments and notes, one line each; empty if there are none. */
export async function commentsOf(
  parts: Parts,
  sheet: string,
  people: ReadonlyMap<string, string>,
  seen: Set<string>,
): Promise<string> {
  const lines: string[] = [];
  for (const type of ['threadedComment', 'comments']) {
    for (const path of await relatedPaths(parts, sheet, type)) {
      if (seen.has(path)) continue;
      seen.add(path);
      await readComments(sourceOf(parts, path), people, lines);
    }
  }
  return lines.length === 0 ? '' : ['Comments:', ...lines].join('\n');
}

async function readComments(source: string, people: ReadonlyMap<string, string>, lines: string[]): Promise<void> {
  const authors: string[] = [];
  let [cell, author, text, piece] = ['', '', '', ''];
  let isText = false;
  let phoneticDepth = 0;
  let length = 0;
  await readMarkup(source, true, {
    open(name, attributes) {
      isText = name === 't' || name === 'text' || name === 'author';
      piece = '';
      if (name === 'rPh') phoneticDepth += 1;
      if (name !== 'comment' && name !== 'threadedComment') return;
      cell = attributes.ref ?? '';
      author = people.get(attributes.personId ?? '') ?? authors[Number(attributes.authorId)] ?? '';
      text = '';
    },
    text(words) {
      if (isText && phoneticDepth === 0) piece += words;
    },
    close(name) {
      if (name === 'author') authors.push(piece);
      else if (name === 't' || name === 'text') text += piece;
      else if (name === 'rPh') phoneticDepth -= 1;
      else if (name === 'comment' || name === 'threadedComment') {
        const words = unescapeText(text).replace(/\s+/g, ' ').trim();
        // Threaded comments have a placeholder for older versions of Excel.
        if (words !== '' && !author.startsWith('tc=')) lines.push(`[${cell}] ${signed(author, words)}`);
        length += words.length;
      }
      isText = false;
      piece = '';
    },
    length: () => length,
  });
}

/** A comment with its author, whose name comments usually start with. */
const signed = (author: string, text: string): string =>
  author === '' || text.startsWith(author) ? text : `${author}: ${text}`;
