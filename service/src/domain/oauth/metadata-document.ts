import { ConnectorError } from 'agent-connectors';
import type { AppMetadata } from '../../data/state/oauth-types.js';
import { appMetadata } from './app-metadata.js';
import { OAuthError } from './oauth-error.js';

const maxBytes = 16 * 1024;
const timeoutMs = 5_000;
const minCacheMs = 5 * 60_000;
const defaultCacheMs = 60 * 60_000;
const maxCacheMs = 24 * 60 * 60_000;
/** Maximum concurrent document reads, in total and per signed-in client. */
const maxReads = 8;
const maxReadsOfClient = 2;

/** A document, and how long it may be cached. */
export interface MetadataDocument {
  readonly metadata: AppMetadata;
  readonly cacheMs: number;
}

/** Whether a client id is the URL of a client id metadata document. */
export function isDocumentAddress(id: string): boolean {
  if (id.length > 1_000 || !id.startsWith('https://') || !URL.canParse(id)) return false;
  const { href, pathname, username, password, hash } = new URL(id);
  // Only the normalized form, without dot segments, so that each app has a single id.
  return href === id && pathname !== '/' && username === '' && password === '' && hash === '' && !id.endsWith('#');
}

/**
 * Reads client id metadata documents (draft-ietf-oauth-client-id-metadata-document); `fetch` guards against private
 * addresses.
 */
export function metadataReader(
  fetch: typeof globalThis.fetch,
): (id: string, clientId: string) => Promise<MetadataDocument> {
  /** The client of each read in progress. */
  const reads: string[] = [];
  return async (id, clientId) => {
    if (reads.length >= maxReads || reads.filter((own) => own === clientId).length >= maxReadsOfClient)
      throw new OAuthError(
        'temporarily_unavailable',
        'Too many metadata documents are being fetched. Retry later.',
        503,
      );
    reads.push(clientId);
    try {
      return await readDocument(id, fetch);
    } catch (error) {
      if (error instanceof OAuthError) throw error;
      // A blocked address looks the same as an unreachable one.
      const reason =
        ConnectorError.is(error) && error.code === 'denied_by_policy'
          ? 'this service is not allowed to connect to it'
          : 'it cannot be reached';
      throw new OAuthError('invalid_client', `The app’s metadata document could not be read: ${reason}. ${wayOut(id)}`);
    } finally {
      reads.splice(reads.indexOf(clientId), 1);
    }
  };
}

async function readDocument(id: string, fetch: typeof globalThis.fetch): Promise<MetadataDocument> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(id, { headers: { accept: 'application/json' }, redirect: 'manual', signal });
  const type = response.headers.get('content-type') ?? '';
  if (response.status !== 200 || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    await response.body?.cancel().catch(() => {});
    // Firewalls and proxies often respond with a page of their own.
    throw new OAuthError(
      'invalid_client',
      `The app’s metadata document is invalid: it is not JSON, or its status is not 200. ${wayOut(id)}`,
    );
  }
  const value = parse(await readText(response));
  if (value?.client_id !== id) throw invalidDocument('its client_id does not match');
  const { token_endpoint_auth_method: method = 'none' } = value;
  // A public document cannot contain a secret; key-based authentication is not supported.
  if (method !== 'none') throw invalidDocument('only token_endpoint_auth_method none is supported');
  return { metadata: appMetadata(value, 'none'), cacheMs: cacheMsOf(response.headers) };
}

const wayOut = (id: string) =>
  `If this service has no access to ${new URL(id).host}, its operator can set HTTPS_PROXY, or use --no-client-metadata-documents so that apps register instead.`;

const invalidDocument = (why: string) =>
  new OAuthError('invalid_client', `The app’s metadata document is invalid: ${why}.`);

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel().catch(() => {});
      throw invalidDocument(`it is larger than ${maxBytes / 1024} KiB`);
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    throw invalidDocument('it is not JSON');
  }
}

function cacheMsOf(headers: Headers): number {
  const control = headers.get('cache-control') ?? '';
  if (/\bno-(store|cache)\b/i.test(control)) return minCacheMs;
  const seconds = /\bmax-age=(\d{1,9})\b/i.exec(control)?.[1];
  if (seconds === undefined) return defaultCacheMs;
  return Math.min(maxCacheMs, Math.max(minCacheMs, Number(seconds) * 1000));
}
