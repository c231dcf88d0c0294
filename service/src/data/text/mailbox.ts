import { emailText } from './email.js';
import { InnerDocuments } from './inner.js';
import { exceedsLimit } from './normalize.js';
import type { Extract, ReadOptions } from './result.js';

/** Text of a mailbox: its messages as emails (format: https://www.rfc-editor.org/rfc/rfc4155). */
export async function mailboxText(bytes: Uint8Array, options: Partial<ReadOptions> = {}): Promise<Extract> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const inner = new InnerDocuments('message', undefined);
  const texts: string[] = [];
  let length = 0;
  for (const message of messagesOf(source)) {
    try {
      const result = await emailText(message, options);
      const { text, missing } = typeof result === 'string' ? { text: result } : result;
      if (missing) inner.miss(missing);
      texts.push(text.trim());
      length += text.length;
    } catch (error) {
      inner.miss({ cause: 'damaged', detail: `A message cannot be read: ${(error as Error).message}` });
    }
    if (exceedsLimit(length)) break;
  }
  return { text: texts.filter((text) => text !== '').join('\n\n---\n\n'), missing: inner.missing };
}

/** A line that precedes each message: the address of its sender and a date. */
const separator = /^From \S[^\n]{0,200}\d\d:\d\d[^\n]{0,40}\r?$/;
const newline = 0x0a;
const carriageReturn = 0x0d;

function* messagesOf(source: Buffer): Generator<Uint8Array> {
  let start = -1;
  for (let at = 0; at >= 0 && at < source.length; ) {
    const lineEnd = source.indexOf(newline, at);
    const end = lineEnd < 0 ? source.length : lineEnd;
    if (isAfterBlankLine(source, at) && separator.test(source.toString('latin1', at, Math.min(end, at + 300)))) {
      if (start >= 0) yield unquoted(source.subarray(start, at));
      start = end + 1;
    }
    const next = source.indexOf('\nFrom ', end);
    at = next < 0 ? -1 : next + 1;
  }
  yield unquoted(source.subarray(Math.max(0, start)));
}

const isAfterBlankLine = (source: Buffer, at: number): boolean =>
  at === 0 || source[at - 2] === newline || (source[at - 2] === carriageReturn && source[at - 3] === newline);

/** Lines of a message that start like a separator are quoted. */
const unquoted = (message: Buffer): Uint8Array =>
  message.includes('\n>From ') || message.includes('\n>>')
    ? Buffer.from(message.toString('latin1').replace(/^>(>*From )/gm, '$1'), 'latin1')
    : message;
