import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { ConnectorError } from '../errors/connector-error.js';
import { randomToken } from '../tools/fence.js';
import type { ToolFile } from '../tools/file.js';

/** Reserves bytes that are held for a caller between requests, or throws; returns a function that releases them. */
export type Reserve = (bytes: number) => () => void;

interface KeptFile {
  readonly owner: Files;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  readonly keptAt: number;
  readonly release: () => void;
}

const scheme = 'agent-connectors://files/';

const lifetimeMs = 15 * 60_000;

/** Size limits in bytes: per file, per caller, and for the whole process. */
const maxBytes = { file: 8 * 2 ** 20, caller: 32 * 2 ** 20, process: 256 * 2 ** 20 };

/** All callers' downloads, oldest first, by unguessable URI. */
const kept = new Map<string, KeptFile>();

const sizeOf = (owner?: Files): number => {
  let total = 0;
  for (const file of kept.values()) if (owner === undefined || file.owner === owner) total += file.bytes.length;
  return total;
};

function remove(uri: string, { release }: KeptFile): void {
  kept.delete(uri);
  release();
}

/** Without a budget, all callers share one. */
const reserveShared: Reserve = (bytes) => {
  if (sizeOf() + bytes <= maxBytes.process) return () => {};
  throw new ConnectorError('rate_limited', 'Too many files of other callers are stored. Try again later.');
};

/** Files downloaded by a caller's actions, kept for 15 minutes. */
export class Files {
  readonly #reserve: Reserve;

  constructor(reserve = reserveShared) {
    this.#reserve = reserve;
  }

  /** Stores a file and returns its URI. */
  readonly keep = async ({ contentType, stream }: ToolFile): Promise<string> => {
    const bytes = await readBounded(stream);
    for (const [uri, file] of kept) if (isOver(file.keptAt)) remove(uri, file);
    const release = this.#makeRoom(bytes.length);
    const mimeType = /^[\w.+-]+\/[\w.+-]+/.exec(contentType ?? '')?.[0] ?? 'application/octet-stream';
    const uri = scheme + randomToken() + randomToken();
    kept.set(uri, { owner: this, mimeType, bytes, keptAt: Date.now(), release });
    return uri;
  };

  /** Reserves room, for which it deletes the caller's own oldest files, but never those of others. */
  #makeRoom(bytes: number): () => void {
    for (;;) {
      const oldest = [...kept].find(([, { owner }]) => owner === this);
      if (!oldest) return this.#reserve(bytes);
      try {
        if (sizeOf(this) + bytes <= maxBytes.caller) return this.#reserve(bytes);
      } catch {
        // Tried again with one file less.
      }
      remove(...oldest);
    }
  }

  /** A file of this caller; undefined if it does not exist or has expired. */
  find(uri: unknown): KeptFile | undefined {
    const file = kept.get(String(uri));
    return file?.owner === this && !isOver(file.keptAt) ? file : undefined;
  }

  /** Deletes all files: the caller's permissions have changed. */
  clear(): void {
    for (const [uri, file] of kept) if (file.owner === this) remove(uri, file);
  }
}

const isOver = (keptAt: number): boolean => Date.now() - keptAt >= lifetimeMs;

async function readBounded(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const part of stream as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > maxBytes.file) {
      throw new ConnectorError(
        'too_large',
        `The file is larger than ${maxBytes.file / 2 ** 20} MiB, so it was not stored.`,
        {
          hint: "A program can download it with the connector's execute method.",
        },
      );
    }
    parts.push(part);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Offers downloaded files as resources, which appear only in call results. */
export function registerFiles(server: McpServer, current: () => { readonly files: Files }): void {
  server.registerResource(
    'downloaded_file',
    new ResourceTemplate(`${scheme}{id}`, { list: undefined }),
    { title: 'Downloaded file', description: 'A file downloaded by an action, available for 15 minutes.' },
    ({ href }) => {
      const file = current().files.find(href);
      if (!file)
        throw new ResourceNotFoundError(href, 'Resource not found: files expire after 15 minutes. Download it again.');
      return { contents: [{ uri: href, mimeType: file.mimeType, blob: base64(file.bytes) }] };
    },
  );
}

function base64(bytes: Uint8Array): string {
  let raw = '';
  for (let at = 0; at < bytes.length; at += 8_192) raw += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(raw);
}
