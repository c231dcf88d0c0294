import type { VendorReply, VendorRequest } from '../vendor.js';

/** Parameters of a token request, from a form or JSON. */
export function parseForm(request: VendorRequest): URLSearchParams {
  if (!/json/i.test(request.headers.get('content-type') ?? '')) return new URLSearchParams(request.body);
  try {
    return new URLSearchParams(JSON.parse(request.body));
  } catch {
    return new URLSearchParams();
  }
}

/** Client id and secret from HTTP Basic. */
export function parseBasicClient(headers: Headers): [string, string] | undefined {
  const basic = /^Basic (.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (!basic) return undefined;
  try {
    const [id = '', secret = ''] = atob(basic).split(':');
    return [decodeURIComponent(id), decodeURIComponent(secret)];
  } catch {
    return ['', ''];
  }
}

/** An error as defined by RFC 6749. */
export function errorReply(status: number, error: string, error_description: string): VendorReply {
  return jsonReply(status, { error, error_description });
}

/** Google's headers against caching. */
export const noStore = 'no-cache, no-store, max-age=0, must-revalidate';

/** A response of the token endpoint. */
export function jsonReply(status: number, body: unknown): VendorReply {
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': noStore,
    },
    body: JSON.stringify(body, null, 2),
  };
}

/** A response of a product's API. */
export function apiReply(
  status: number,
  body: unknown,
  isPretty: boolean,
  headers: Record<string, string>,
): VendorReply {
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=UTF-8',
      vary: 'Origin, X-Origin, Referer',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    body: isPretty ? `${JSON.stringify(body, null, 2)}\n` : JSON.stringify(body),
  };
}

/** The front end's page for unknown paths. */
export function notFoundPage(path: string): VendorReply {
  const shown = path.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return {
    status: 404,
    headers: { 'content-type': 'text/html; charset=UTF-8' },
    body: `<!DOCTYPE html><html lang=en><title>Error 404 (Not Found)!!1</title><p><b>404.</b> <ins>That’s an error.</ins><p>The requested URL <code>${shown}</code> was not found on this server. <ins>That’s all we know.</ins>`,
  };
}
