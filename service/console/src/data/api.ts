import type { Page, ServiceError } from 'agent-connectors/wire';
import { texts } from '../texts/index.js';

/** An error response from the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly errors: ServiceError['errors'];

  constructor(status: number, body: unknown) {
    const { message, code, hint, errors } = (body ?? {}) as Partial<Record<string, unknown>>;
    super(typeof message === 'string' ? message : texts.answered(status));
    this.status = status;
    this.code = typeof code === 'string' ? code : '';
    this.hint = typeof hint === 'string' ? hint : null;
    this.errors = Array.isArray(errors) ? errors : [];
  }
}

/** Options for a request. */
export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

let organization: string | undefined;
let onSignedOut = () => {};

/** Sets the organization to send requests for. */
export function setRequestOrganization(id: string | undefined): void {
  organization = id;
}

/** Calls `listener` when the session has ended. */
export function setSignedOutListener(listener: () => void): void {
  onSignedOut = listener;
}

/** Sends a request with the session and returns the response, whatever its status. */
export async function send(
  path: string,
  { method = 'GET', json, headers, signal }: RequestOptions = {},
): Promise<Response> {
  try {
    return await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: {
        'x-console': '1',
        ...(organization !== undefined && { 'x-organization-id': organization }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, { message: texts.unreachable });
  }
}

/** Throws if the response is an error. A 401 also signs the user out. */
export async function requireOk(response: Response): Promise<Response> {
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => undefined);
  if (response.status === 401) onSignedOut();
  throw new ApiError(response.status, body);
}

/** Sends a request and reads its JSON. */
export async function api<T>(path: string, options?: RequestOptions): Promise<T> {
  const response = await requireOk(await send(path, options));
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** Fetches all items in a list, page by page. */
export async function fetchAll<T>(path: string, options?: RequestOptions): Promise<readonly T[]> {
  const all: T[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const page: Page<T> = await api(next === '' ? path : `${path}?cursor=${encodeURIComponent(next)}`, options);
    all.push(...page.data);
    next = page.next;
  }
  return all;
}

/** A connector's API path. */
export const connectorPath = (id: string, rest = ''): string =>
  `/api/v1/integrations/connectors/${encodeURIComponent(id)}${rest}`;

/** An unguessable string. Also works on pages served without HTTPS. */
export const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
