import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { bufferedResponse } from './body.js';

/** A JSON document that is the same for all callers, with its encodings. */
interface Document {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly gzipped: Buffer<ArrayBuffer>;
  readonly etag: string;
}

/** Documents that are written and compressed once. */
export class Documents<Key> {
  readonly #documents = new Map<Key, Promise<Document>>();

  /** The response with a document, or 304 if the client already has it. */
  async respond({ headers }: Request, key: Key, content: () => unknown): Promise<Response> {
    let document = this.#documents.get(key);
    if (!document) {
      document = documentOf(content());
      this.#documents.set(key, document);
    }
    const { bytes, gzipped, etag } = await document;
    const common = { etag, vary: 'accept-encoding', 'cache-control': 'private, no-cache' };
    const known = headers.get('if-none-match')?.split(',') ?? [];
    if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag)) {
      return new Response(null, { status: 304, headers: common });
    }
    const acceptsGzip = /(^|,)\s*(gzip|\*)\s*(;\s*q=(0\.0*[1-9]\d*|1(\.0*)?)\s*)?(,|$)/i.test(
      headers.get('accept-encoding') ?? '',
    );
    return acceptsGzip
      ? bufferedResponse(200, [gzipped], { ...common, 'content-encoding': 'gzip' })
      : bufferedResponse(200, [bytes], common);
  }
}

const compress = promisify(gzip);

async function documentOf(content: unknown): Promise<Document> {
  const bytes = Buffer.from(JSON.stringify(content));
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { bytes, gzipped: await compress(bytes), etag };
}
