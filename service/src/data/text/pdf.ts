import { exceedsLimit } from './normalize.js';

/** Unreadable pages are skipped; reading stops after this many in a row. */
const maxUnreadablePages = 10;

interface Piece {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly height: number;
  readonly transform: readonly number[];
}

/** Text of a PDF, page by page. */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  const { getDocumentProxy } = await import('unpdf');
  // Pass a copy, since the reader detaches the buffer.
  const document = await getDocumentProxy(new Uint8Array(bytes), {
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
  });
  const pages: string[] = [];
  let length = 0;
  let failed = 0;
  let failure: unknown;
  for (
    let number = 1;
    number <= document.numPages && failed < maxUnreadablePages && !exceedsLimit(length);
    number += 1
  ) {
    try {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const text = pageText(items.filter((item) => 'str' in item));
      page.cleanup();
      failed = 0;
      length += text.length;
      if (text !== '') pages.push(text);
    } catch (error) {
      failed += 1;
      failure = error;
    }
  }
  if (pages.length === 0 && failure !== undefined) throw failure;
  return pages.join('\n\n');
}

/** Lines in page order, with a blank line where a gap separates paragraphs. */
function pageText(pieces: readonly Piece[]): string {
  const lines: { text: string; at: number; height: number }[] = [];
  let text = '';
  let height = 0;
  for (const { str, hasEOL, height: itemHeight, transform } of pieces) {
    text += str;
    height = Math.max(height, itemHeight);
    if (!hasEOL) continue;
    lines.push({ text: text.trimEnd(), at: transform[5] ?? 0, height });
    text = '';
    height = 0;
  }
  if (text.trim() !== '') lines.push({ text: text.trimEnd(), at: pieces.at(-1)?.transform[5] ?? 0, height });
  const lineStep = medianStep(lines.map(({ at }) => at));
  return lines
    .map(({ text, at, height }, index) => {
      const step = index === 0 ? 0 : lines[index - 1]!.at - at;
      return step > 1.3 * Math.max(lineStep, height) ? `\n${text}` : text;
    })
    .join('\n')
    .trim();
}

/** The most common distance between two lines. */
function medianStep(places: readonly number[]): number {
  const steps = places
    .slice(1)
    .map((at, index) => places[index]! - at)
    .filter((step) => step > 0)
    .sort((one, other) => one - other);
  return steps[Math.floor(steps.length / 2)] ?? 0;
}
