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

/** A successful response. */
export function jsonReply(status: number, body: unknown): VendorReply {
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache, no-store, max-age=0, must-revalidate',
    },
    body: `${JSON.stringify(body, null, 2)}`,
  };
}
