import type { FaultKind } from './faults.js';

/** One request that reached the sandbox; secrets are never kept. */
export interface RecordedRequest {
  /** Which vendor was asked. */
  vendor: string;
  /** HTTP method. */
  method: string;
  /** The path below the vendor's base. */
  path: string;
  /** Parameters of the address. */
  query: Record<string, string>;
  /** Header names in lower case; `authorization` holds the credential's label. */
  headers: Record<string, string>;
  /** Which credential was used, such as `api_key`, `access_token`, `none` or `unknown`. */
  credential: string;
  /** Body as it was read, without secrets. */
  body: unknown;
  /** The first GraphQL root field, where there is one. */
  rootField?: string;
  /** The status that was answered; 0 when the caller never got one. */
  status: number;
  /** Milliseconds since the epoch by the sandbox's clock. */
  time: number;
  /** The fault that struck it, if one did. */
  fault?: FaultKind;
}

/** The requests so far, the oldest first, with a way to forget them. */
export type RequestLog = readonly RecordedRequest[] & {
  /** Forgets all of them. */
  clear(): void;
};

const maxEntries = 10_000;
const secretHeaders = /^(authorization|proxy-authorization|cookie|x-api-key|x-goog-api-key)$/;
const secretKeys =
  /^(client_secret|refresh_token|access_token|token|code|password|assertion|key|api_key|x-amz-(signature|credential|security-token))$/i;

/** Makes an empty log that keeps the newest ten thousand requests. */
export function createRequestLog(): { log: RequestLog; add(entry: RecordedRequest): void } {
  const entries: RecordedRequest[] = [];
  const clear = () => {
    entries.length = 0;
  };
  // Not enumerable, so that the log compares like the plain array that it is.
  Object.defineProperty(entries, 'clear', { value: clear });
  return {
    log: entries as unknown as RequestLog,
    add(entry) {
      entries.push(entry);
      // Dropping in blocks keeps a long run from shifting the whole array at every request.
      if (entries.length > maxEntries * 1.1) entries.splice(0, entries.length - maxEntries);
    },
  };
}

/** A request's headers with secrets replaced by the credential's label. */
export function safeHeaders(headers: Headers, credential: string): Record<string, string> {
  const safe: Record<string, string> = {};
  headers.forEach((value, name) => {
    if (!secretHeaders.test(name)) safe[name] = value;
    else safe[name] = /^bearer /i.test(value) ? `Bearer <${credential}>` : `<${credential}>`;
  });
  return safe;
}

/** Form or query fields with the values of secret ones left out. */
export function safeFields(fields: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...fields].map(([name, value]) => [name, secretKeys.test(name) ? '<secret>' : value]));
}
