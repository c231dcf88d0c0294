import { Parts } from './archive.js';
import { htmlText } from './html.js';
import { readMarkup } from './markup.js';
import { exceedsLimit } from './normalize.js';
import { sourceOf } from './parts.js';
import { decodePage } from './plain.js';
import type { Extract } from './result.js';
import { UnreadableError } from './unreadable.js';

/** Resolves a relative path in the book. */
const resolve = (path: string, base: string): string => {
  const { pathname } = new URL(path, `file:///${base}`);
  try {
    return decodeURIComponent(pathname.slice(1));
  } catch {
    return pathname.slice(1);
  }
};

/** Systems that protect books, by the part that they add. */
const protections = [
  ['Readium LCP', 'META-INF/license.lcpl'],
  ['Adobe DRM', 'META-INF/rights.xml'],
  ['Apple FairPlay', 'META-INF/sinf.xml'],
] as const;

/** Text of an EPUB book, chapter by chapter. */
export async function epubText(bytes: Uint8Array): Promise<Extract> {
  const parts = Parts.open(bytes);
  const source = (path: string) => sourceOf(parts, path);
  const protection = protections.find(([, path]) => parts.has(path))?.[0];
  if (protection || /xhtml|\.html?"/i.test(source('META-INF/encryption.xml'))) {
    throw new UnreadableError('password', `It is encrypted${protection ? `, with ${protection}` : ''}.`);
  }
  let main = '';
  await readMarkup(source('META-INF/container.xml'), true, {
    open(name, attributes) {
      if (name === 'rootfile') main ||= attributes['full-path'] ?? '';
    },
  });
  if (!parts.has(main)) throw new Error('It has no package part.');
  const paths = new Map<string, string>();
  const chapters: string[] = [];
  const metadata: string[] = [];
  let field = '';
  await readMarkup(source(main), true, {
    open(name, attributes) {
      field = name === 'title' || name === 'creator' ? name : '';
      if (name === 'item') paths.set(attributes.id ?? '', resolve(attributes.href ?? '', main));
      else if (name === 'itemref') chapters.push(attributes.idref ?? '');
    },
    text(text) {
      if (field !== '' && text.trim() !== '') metadata.push(field === 'title' ? `# ${text.trim()}` : text.trim());
    },
    close() {
      field = '';
    },
  });
  const texts = [metadata.join('\n')];
  let length = 0;
  let missing = 0;
  for (const path of new Set(chapters.map((id) => paths.get(id) ?? ''))) {
    const part = parts.read(path);
    if (!part) {
      missing += 1;
      continue;
    }
    const text = await htmlText(decodePage(part));
    texts.push(text);
    length += text.length;
    if (exceedsLimit(length)) break;
  }
  const text = texts.filter((one) => one.trim() !== '').join('\n\n');
  if (missing === 0) return text;
  return { text, missing: { cause: 'damaged', detail: `The book does not contain ${missing} of its chapters.` } };
}
