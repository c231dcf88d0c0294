import { link, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { DownloadMeta } from '../action/result.js';
import { ConnectorError } from '../errors/connector-error.js';

/** A download, as returned by `execute`. */
export interface Download {
  /** The bytes. */
  readonly data: ReadableStream<Uint8Array>;
  /** Metadata. */
  readonly meta: Pick<DownloadMeta, 'content_length' | 'file_name'>;
}

/** Options for saving. */
export interface SaveOptions {
  /** Replaces an existing file; otherwise throws `conflict`. */
  readonly overwrite?: boolean | undefined;
}

/** A saved file. */
export interface Saved {
  /** Absolute path of the file. */
  readonly path: string;
  /** Number of bytes written. */
  readonly bytes: number;
}

// Windows treats the superscripts as digits here, and ignores spaces before the dot.
const reserved = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])\s*(\..*)?$/i;

/** Characters that are invisible, change the text direction, or are rejected by some file system. */
const unfit = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800<>:"|?*]/gu;

/** Trims spaces and dots at both ends. */
const trimmed = (name: string): string => /[^\s.].*[^\s.]|[^\s.]/s.exec(name)?.[0] ?? '';

/**
 * Sanitizes a vendor's file name so that it has no path or invisible characters and is not hidden, reserved or a
 * command option.
 */
export function safeName(name: string | null): string {
  const last = (name ?? '').normalize('NFC').split(/[/\\]/).at(-1)!;
  const plain = trimmed(shortenName(trimmed(last.replaceAll(unfit, '_'))));
  if (/^_*$/.test(plain)) return 'download';
  return reserved.test(plain) || plain.startsWith('-') ? `_${plain}` : plain;
}

/** Truncates a name to the file system's limit in bytes, keeping the extension. */
function shortenName(name: string): string {
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  const maxBytes = 200;
  if (bytes(name) <= maxBytes) return name;
  const extension = /\.[^.]{1,16}$/.exec(name.slice(-17))?.[0] ?? '';
  let left = maxBytes - bytes(extension);
  let end = 0;
  for (const letter of name.slice(0, name.length - extension.length)) {
    left -= bytes(letter);
    if (left < 0) break;
    end += letter.length;
  }
  return name.slice(0, end) + extension;
}

/**
 * Writes a download to disk atomically, without replacing another file unless asked to.
 *
 * If the path ends in a slash or is a folder, a safe form of the vendor's file name is used.
 */
export async function save(download: Download, path: string, options: SaveOptions = {}): Promise<Saved> {
  const { data, meta } = download ?? {};
  checkArguments(data, path, options);
  let target: string;
  try {
    const folder = /[/\\]$/.test(path) || (await existing(path))?.isDirectory() === true;
    target = resolve(folder ? join(path, safeName(meta.file_name)) : path);
    await mkdir(dirname(target), { recursive: true });
    const found = await existing(target);
    if (found && !options.overwrite) throw alreadyExists(target);
    // Replacing a pipe or device would destroy it.
    if (found && !found.isFile() && !found.isDirectory())
      throw new ConnectorError('invalid_params', `${target} is not a regular file.`);
  } catch (error) {
    // Closes the unread download's connection.
    await data.cancel().catch(() => {});
    throw error;
  }
  const part = join(dirname(target), `.${basename(target).slice(0, 40)}.${crypto.randomUUID()}.part`);
  try {
    const bytes = await write(data, part);
    if (meta.content_length !== null && meta.content_length !== bytes) {
      throw new ConnectorError(
        'invalid_response',
        `The download ended after ${bytes} of ${meta.content_length} bytes.`,
      );
    }
    await (options.overwrite ? rename(part, target) : linkExclusively(part, target));
    return { path: target, bytes };
  } finally {
    await unlink(part).catch(() => {});
  }
}

function checkArguments(data: unknown, path: unknown, options: object): void {
  const invalidArgument = (message: string) => new ConnectorError('invalid_params', `save: ${message}`);
  const stream = data as ReadableStream | null | undefined;
  if (typeof stream?.getReader !== 'function')
    throw invalidArgument('the first argument must be the result of a download.');
  if (stream.locked) throw invalidArgument('the download has already been read or is being read.');
  if (typeof path !== 'string' || path === '' || path.includes('\0'))
    throw invalidArgument('the path must be a string without NUL characters.');
  const unknown = Object.keys(options).find((name) => name !== 'overwrite');
  if (unknown) throw invalidArgument(`unknown option '${unknown}'. Valid: overwrite.`);
}

async function write(data: ReadableStream<Uint8Array>, part: string): Promise<number> {
  const file = await open(part, 'wx', 0o600);
  let bytes = 0;
  try {
    for await (const chunk of data) {
      await file.writeFile(chunk);
      bytes += chunk.byteLength;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return bytes;
}

/** Renames the file unless the target exists: a link, unlike a rename, never replaces an existing file. */
async function linkExclusively(part: string, target: string): Promise<void> {
  try {
    await link(part, target);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? alreadyExists(target) : error;
  }
}

const alreadyExists = (target: string) =>
  new ConnectorError('conflict', `File ${target} already exists; pass overwrite: true to replace it.`);

const existing = (path: string) => stat(path).catch(() => undefined);
