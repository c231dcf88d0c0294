import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { notAvailable, type ObjectStore } from './types.js';

/** A bucket or part of one, with its credentials. */
export interface S3Options {
  readonly bucket: string;
  /** Prefix of all keys; '' for the whole bucket. */
  readonly prefix: string;
  /** For example `http://127.0.0.1:9000`; URLs are path-style. Defaults to AWS in the region. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

const timeoutMs = 30_000;
/** Number of retries after network errors and retryable responses. */
const retries = 2;

/** Stores objects in a bucket on S3 or a compatible server. */
export function s3Store({ bucket, prefix, endpoint, region, ...credentials }: S3Options): ObjectStore {
  const { sessionToken, ...keys } = credentials;
  const client = new AwsClient({
    ...keys,
    ...(sessionToken && { sessionToken }),
    region,
    service: 's3',
    retries,
    initRetryMs: 100,
  });
  const base = `${endpoint?.replace(/\/+$/, '') ?? `https://s3.${region}.amazonaws.com`}/${bucket}`;
  const root = prefix === '' ? '' : `${prefix}/`;
  const send = async <T>(
    path: string,
    init: RequestInit,
    read: (response: Response) => Promise<T>,
  ): Promise<T | undefined> => {
    let response: Response;
    for (let attempt = 0; ; attempt++) {
      try {
        response = await client.fetch(`${base}${path}`, { ...init, signal: AbortSignal.timeout(timeoutMs) });
        const found = response.ok ? await read(response) : undefined;
        if (response.ok) return found;
        break;
      } catch (error) {
        // Safe to retry: all requests are idempotent. Report only the reason, since the error itself may contain the
        // request.
        if (attempt >= retries) throw notAvailable(reasonOf(error));
      }
    }
    const code = /<Code>(\w{1,60})<\/Code>/.exec(await response.text().catch(() => ''))?.[1];
    if (response.status === 404 && code !== 'NoSuchBucket') return undefined;
    throw notAvailable(code === undefined ? `HTTP ${response.status}` : `HTTP ${response.status}, ${code}`);
  };
  const atKey = (key: string) => `/${root}${key}`;
  return {
    info: (key) =>
      send(atKey(key), { method: 'HEAD' }, async ({ headers }) => ({
        size: Number(headers.get('content-length')),
        modifiedAt: Date.parse(headers.get('last-modified') ?? ''),
      })),
    get: (key, maxBytes) =>
      send(atKey(key), { method: 'GET' }, async (response) => {
        if (Number(response.headers.get('content-length')) <= maxBytes)
          return new Uint8Array(await response.arrayBuffer());
        await response.body?.cancel();
        return new Uint8Array();
      }),
    async put(key, bytes) {
      // The digest is signed, so the server rejects a body that was corrupted in transit.
      const headers = { 'x-amz-content-sha256': createHash('sha256').update(bytes).digest('hex') };
      const done = await send(atKey(key), { method: 'PUT', body: Uint8Array.from(bytes), headers }, async () => true);
      if (!done) throw notAvailable('HTTP 404');
    },
    remove: async (key) => void (await send(atKey(key), { method: 'DELETE' }, async () => true)),
    async *list(start) {
      for (let token: string | undefined = ''; token !== undefined; ) {
        const query = new URLSearchParams({ 'list-type': '2', prefix: `${root}${start}` });
        if (token !== '') query.set('continuation-token', token);
        const page: string | undefined = await send(`?${query}`, { method: 'GET' }, (response) => response.text());
        for (const [, entry = ''] of (page ?? '').matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          const key = elementText(entry, 'Key')?.slice(root.length);
          const modifiedAt = Date.parse(elementText(entry, 'LastModified') ?? '');
          if (key) yield { key, size: Number(elementText(entry, 'Size')), modifiedAt };
        }
        token = elementText(page ?? '', 'NextContinuationToken');
      }
    },
  };
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Text content of an XML element, for the few elements that the service reads. */
const elementText = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`)
    .exec(xml)?.[1]
    ?.replaceAll(/&(\w+);/g, (whole, entity) => entities[entity] ?? whole);

function reasonOf(error: unknown): string {
  if ((error as Error).name === 'TimeoutError') return 'timeout';
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'no connection';
}
