import type { Extract, ReadOptions } from './result.js';

/** Reads a file; errors say what is wrong with it. */
type Read = (bytes: Uint8Array, file: ReadOptions) => Promise<Extract>;

/** A file format: how files are recognized, and what is read of them. */
export interface FileFormat {
  /** With an article, for messages. */
  readonly title: string;
  readonly extensions: readonly string[];
  /** MIME types, in lower case. */
  readonly types: readonly string[];
  /** What a file starts with: hexadecimal; `..` is any byte. */
  readonly magic?: readonly string[];
  /** Its reader, loaded when needed; a file of a format without one is not read. */
  readonly read?: () => Promise<Read>;
  /** What is read of a file, or why it is not read. */
  readonly coverage: string;
  /** Nobody expects text of it, or it contains other files. */
  readonly isWithoutText?: true;
  /** Files declared as this format are often text, such as CSV or HTML. */
  readonly isOftenText?: true;
}
