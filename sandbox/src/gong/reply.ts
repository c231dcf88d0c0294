import type { VendorReply } from '../vendor.js';

const bareNumberMark = '\u0001';

/** An id written to JSON as a bare number with more digits than a double can represent. */
export function bareNumber(id: string): string;
export function bareNumber(id: string | null): string | null;
export function bareNumber(id: string | null): string | null {
  return id === null ? null : `${bareNumberMark}${id}${bareNumberMark}`;
}

/** A JSON response from Gong, with the request id also in a header. */
export function jsonReply(
  status: number,
  requestId: string,
  body: object,
  headers: Record<string, string> = {},
): VendorReply {
  const text = JSON.stringify({ requestId, ...body });
  return {
    status,
    headers: { 'content-type': 'application/json;charset=UTF-8', 'x-traceid': requestId, ...headers },
    body: text.includes('\\u0001') ? text.replaceAll(/"\\u0001(-?\d+)\\u0001"/g, '$1') : text,
  };
}
