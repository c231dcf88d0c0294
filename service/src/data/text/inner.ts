import type { Missing, ReadOptions } from './result.js';

/** Reads the documents that a file contains, such as attachments, and notes what is missing from them. */
export class InnerDocuments {
  readonly #read: ReadOptions['readInner'];
  readonly #kind: string;
  #missing: Missing | undefined;

  /** `kind` names what they are, such as `attachment`. */
  constructor(kind: string, read: ReadOptions['readInner']) {
    this.#kind = kind;
    this.#read = read;
  }

  get missing(): Missing | undefined {
    return this.#missing;
  }

  /** Notes that something is missing; what is left out on purpose does not replace what is not. */
  miss(missing: Missing): void {
    if (this.#missing === undefined || (this.#missing.permanent && !missing.permanent)) this.#missing = missing;
  }

  /** A document's text, without a heading; empty if it cannot be read, or is an image or a recording. */
  async textOf(bytes: Uint8Array, name: string): Promise<string> {
    if (!this.#read || bytes.length === 0) return '';
    const inner = await unwrapped(bytes, name);
    const outcome = await this.#read(inner.bytes, inner.name);
    if (!outcome) return '';
    const { text, cause, detail = '', permanent } = outcome;
    const title = titleOf(inner.name);
    if (cause) {
      const which = `An ${this.#kind}${title && ` (${title})`}`;
      this.miss({ cause, detail: `${which}: ${detail}`, ...(permanent && { permanent }) });
    }
    return text?.trim() ?? '';
  }

  /** A document's text under its name. */
  async sectionOf(bytes: Uint8Array, name: string): Promise<string> {
    const inner = await unwrapped(bytes, name);
    const title = titleOf(inner.name);
    const text = await this.textOf(inner.bytes, inner.name);
    if (text === '' && title === '') return '';
    const kind = this.#kind.charAt(0).toUpperCase() + this.#kind.slice(1);
    return `${kind}${title && ` (${title})`}:${text && `\n\n${text}`}`;
  }
}

/** The name of a document; empty for those that Office assigns to embedded ones. */
const titleOf = (path: string): string =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/^(?:oleObject|package|object|Microsoft_[A-Za-z_-]+) ?\d*(?:\.\w+)?$/i, '');

interface Inner {
  readonly bytes: Uint8Array;
  readonly name: string;
}

/** Streams of compound files that contain a document, as they are. */
const documentStreams = ['Package', 'CONTENTS', 'EmbeddedOdf', 'package_stream'];
const isCompound = (bytes: Uint8Array): boolean => bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11;

/** The document in an embedded object: a compound file whose stream contains it, or itself. */
async function unwrapped(bytes: Uint8Array, name: string): Promise<Inner> {
  if (!isCompound(bytes)) return { bytes, name };
  const { CFB } = await import('@e965/xlsx');
  try {
    const file = CFB.read(Buffer.from(bytes), { type: 'buffer' });
    const stream = (path: string) => {
      const content = CFB.find(file, path)?.content;
      return content && content.length > 0 ? Uint8Array.from(content as ArrayLike<number>) : undefined;
    };
    const native = stream('\u0001Ole10Native');
    const packed = native && packagedFile(native.subarray(4));
    if (packed) return packed;
    for (const path of documentStreams) {
      const content = stream(path);
      if (content) return { bytes: content, name };
    }
  } catch {
    // A damaged file, about which its reader says more.
  }
  return { bytes, name };
}

/** The file that an object of the type Package contains, with the name that it is displayed with. */
function packagedFile(bytes: Uint8Array): Inner | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 2;
  const string = () => {
    const end = buffer.indexOf(0, at);
    const text = new TextDecoder('windows-1252').decode(buffer.subarray(at, end < 0 ? at : end));
    at = end < 0 ? buffer.length : end + 1;
    return text;
  };
  if (buffer.length < 16 || buffer.readUInt16LE(0) !== 2) return undefined;
  const name = string();
  string();
  at += 4;
  if (at + 4 > buffer.length) return undefined;
  at += 4 + buffer.readUInt32LE(at);
  if (at + 4 > buffer.length) return undefined;
  const size = buffer.readUInt32LE(at);
  const content = buffer.subarray(at + 4, at + 4 + size);
  return content.length === size && size > 0 ? { bytes: content, name } : undefined;
}

/** The document of an embedded object in the format of OLE 1, in which Rich Text stores it. */
export function nativeData(bytes: Uint8Array): Inner | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 8;
  for (let field = 0; field < 3; field += 1) {
    if (at + 4 > buffer.length) return undefined;
    at += 4 + buffer.readUInt32LE(at);
  }
  if (at + 4 > buffer.length) return undefined;
  const content = buffer.subarray(at + 4, at + 4 + buffer.readUInt32LE(at));
  return packagedFile(content) ?? { bytes: content, name: '' };
}
