import type { ByteSource } from './byte-array.js';
import type { FaultRule } from './faults.js';
import type { VendorReply } from './vendor.js';

/** How a response is delivered, beyond status, headers and body. */
export interface Delivery {
  /** The connection is reset before the first byte. */
  reset?: true;
  /** Delay before the headers, in milliseconds. */
  delayMs?: number;
  /** Close the connection after this many bytes, fewer than Content-Length. */
  cutAfterBytes?: number;
  /** Reset the connection instead of closing it. */
  endsWithReset?: true;
  /** Delay between chunks of the body, in milliseconds. */
  trickleDelayMs?: number;
  /** Bytes sent immediately, before the delays start. */
  trickleAfterBytes?: number;
}

/**
 * A response that replaces the vendor's, so that the vendor never sees the request; undefined if the vendor responds.
 */
export function substituteReply(fault: FaultRule): VendorReply | undefined {
  const retryAfter: Record<string, string> =
    fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
  switch (fault.kind) {
    case 'http_429':
      return plainTextReply(429, 'Too Many Requests', retryAfter);
    case '502':
      return htmlReply(
        502,
        '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
      );
    case '503':
      return plainTextReply(
        503,
        'upstream connect error or disconnect/reset before headers. reset reason: connection termination',
        retryAfter,
      );
    case '504':
      return plainTextReply(504, 'upstream request timeout');
    case 'wrong_content_type':
      return htmlReply(200, '<!doctype html><html><body><h1>We will be right back</h1></body></html>');
    case 'empty_body':
      return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: '' };
    case 'redirect':
      return {
        status: 302,
        headers: { location: fault.location ?? 'https://login.elsewhere.example/sign-in' },
        body: '',
      };
    default:
      return undefined;
  }
}

/** Applies a fault to a successful response, and returns how to deliver it. */
export function applyFault(
  reply: VendorReply,
  fault: FaultRule | undefined,
): { reply: VendorReply; delivery: Delivery } {
  const delivery: Delivery = {};
  switch (fault?.kind) {
    case 'reset_after':
    case 'broken_chunk':
      delivery.reset = true;
      break;
    case 'slow_headers':
      delivery.delayMs = fault.ms ?? 1000;
      break;
    case 'slow_body':
      delivery.trickleDelayMs = fault.ms ?? 50;
      if (fault.after !== undefined) delivery.trickleAfterBytes = fault.after;
      break;
    case 'reset_body':
    case 'truncated_body':
      delivery.cutAfterBytes = cutOffset(toByteSource(reply.body), fault);
      if (fault.kind === 'reset_body') delivery.endsWithReset = true;
      break;
    case 'truncated_json':
      return { reply: { ...reply, body: truncateBody(reply.body, fault) }, delivery };
    default:
  }
  return { reply, delivery };
}

/** Any body as a readable source of bytes. */
export function toByteSource(body: VendorReply['body']): ByteSource {
  if (typeof body !== 'string' && 'read' in body) return body;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return { length: bytes.length, read: (from, to) => (from < to ? [bytes.subarray(from, to)] : []) };
}

function cutOffset(source: ByteSource, { after }: FaultRule): number {
  return Math.min(after ?? Math.floor(source.length / 2), source.length);
}

function truncateBody(body: VendorReply['body'], fault: FaultRule): VendorReply['body'] {
  if (typeof body === 'string') return body.slice(0, fault.after ?? Math.floor(body.length / 2));
  const source = toByteSource(body);
  return { ...source, length: cutOffset(source, fault), read: (from, to) => source.read(from, to) };
}

function plainTextReply(status: number, body: string, headers: Record<string, string> = {}): VendorReply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body };
}

function htmlReply(status: number, body: string): VendorReply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}
