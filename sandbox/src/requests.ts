import type { FaultKind } from './faults.js';

/** A request received by the sandbox; secrets are never stored. */
export interface RecordedRequest {
  /** The vendor. */
  vendor: string;
  /** HTTP method. */
  method: string;
  /** The path below the vendor's base. */
  path: string;
  /** Query parameters. */
  query: Record<string, string>;
  /** Header names in lower case; `authorization` contains the credential's label. */
  headers: Record<string, string>;
  /** Label of the credential, such as `api_key`, `access_token`, `none` or `unknown`; never the secret. */
  credential: string;
  /** Parsed body, without secrets. */
  body: unknown;
  /** The first GraphQL root field, if any. */
  rootField?: string;
  /** Response status; 0 if there was no response. */
  status: number;
  /** Milliseconds since the epoch on the sandbox's clock. */
  time: number;
  /** The injected fault, if any. */
  fault?: FaultKind;
}

/** The requests so far, oldest first, with a way to clear them. */
export type RequestLog = readonly RecordedRequest[] & {
  /** Clears the log. */
  clear(): void;
};

const maxEntries = 10_000;
const secretHeaders = /^(authorization|proxy-authorization|cookie|x-api-key|x-goog-api-key)$/;
const secretKeys =
  /^(client_secret|refresh_token|access_token|token|code|password|assertion|key|api_key|x-amz-(signature|credential|security-token))$/i;

/** Creates an empty log that keeps the newest ten thousand requests. */
export function createRequestLog(): { log: RequestLog; add(entry: RecordedRequest): void } {
  const entries: RecordedRequest[] = [];
  const clear = () => {
    entries.length = 0;
  };
  // Not enumerable, so the log compares like a plain array.
  Object.defineProperty(entries, 'clear', { value: clear });
  return {
    log: entries as unknown as RequestLog,
    add(entry) {
      entries.push(entry);
      // Dropped in blocks, because shifting the whole array on every request is slow.
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

/** Form or query fields, with secret values replaced. */
export function safeFields(fields: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...fields].map(([name, value]) => [name, secretKeys.test(name) ? '<secret>' : value]));
}
