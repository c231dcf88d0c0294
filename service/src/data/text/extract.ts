import type { FileText, TextCause } from 'agent-connectors/replication';
import { declaredFormat, formatOf } from './detect.js';
import type { FileFormat } from './file-format.js';
import { type Format, formats } from './formats.js';
import { formatInside } from './inside.js';
import { normalizeText } from './normalize.js';
import { UnreadableError } from './unreadable.js';

/** A file as downloaded. */
export interface File {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly name: string;
  /** Whether to include content that the author has hidden, marked as such. */
  readonly indexesHidden?: boolean | undefined;
}

/** Documents in documents in documents are read, but not those in them. */
const maxDepth = 3;

/** Extracts the text of a file, which is itself in as many other files as `depth` says. */
export async function extractText(file: File, depth = 0): Promise<FileText> {
  const { bytes, mimeType, name } = file;
  if (bytes.length === 0) return emptyText;
  let title = 'a document';
  try {
    let format = formatOf(bytes, mimeType, name);
    if (format === 'zip' || format === 'compound') {
      format = formatInside(bytes, format, declaredFormat(mimeType, name));
    }
    const { read, ...known }: Partial<FileFormat> = format === undefined ? {} : formats[format];
    if (!read) return unsupported(format);
    title = known.title ?? title;
    const readInner = async (inner: Uint8Array, innerName: string): Promise<FileText | undefined> => {
      if (formatOf(inner, '', innerName) === 'media') return undefined;
      return depth < maxDepth
        ? extractText({ bytes: inner, name: innerName, mimeType: '', indexesHidden: file.indexesHidden }, depth + 1)
        : notRead('too_large', 'It is in too many other documents.');
    };
    const result = await (await read())(bytes, { mimeType, indexesHidden: file.indexesHidden, readInner });
    const { text, missing } = typeof result === 'string' ? { text: result } : result;
    const normal = normalizeText(text);
    if (normal.isTruncated) return { text: normal.text, ...truncated };
    if (missing) return { text: normal.text, state: 'partial', ...missing };
    return normal.text.trim() === '' ? emptyText : { text: normal.text, state: 'read' };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return notRead(causeOf(error, message), `Cannot be read as ${title}: ${message.slice(0, 300)}`);
  }
}

const causeOf = (error: unknown, message: string): TextCause => {
  if (error instanceof UnreadableError) return error.reason;
  // Parsers name this reason in their own words.
  return /password|encrypted/i.test(message) ? 'password' : 'damaged';
};

const truncated = { state: 'partial', cause: 'too_large', detail: 'It has more text than is stored.' } as const;

const emptyText: FileText = {
  text: '',
  state: 'empty',
  detail: 'It contains no text: it is empty, or consists of images.',
  permanent: true,
};

/** The outcome for a file that cannot be read. */
export const notRead = (cause: TextCause, detail: string): FileText => ({
  text: null,
  state: 'not_read',
  cause,
  detail,
});

/** The outcome for a file whose format is unknown or is not read. */
export function unsupported(name: Format | undefined): FileText {
  const format: FileFormat | undefined = name && formats[name];
  const detail = format ? `It is ${format.title}, which is not read.` : 'Its format is unknown.';
  const isExpected = format === undefined || format.isWithoutText === true;
  return { ...notRead('format', detail), ...(isExpected && { permanent: true }) };
}
