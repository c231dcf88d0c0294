import { createHash } from 'node:crypto';
import { ConnectorError } from 'agent-connectors';
import type { Route } from './pair.js';
import type { ParitySubject } from './subject.js';

/** The outcome of a call, in comparable form. */
export interface Outcome {
  readonly data?: unknown;
  readonly meta?: unknown;
  readonly error?: unknown;
}

/** Runs a call until it ends, and reads what it streams. */
export async function outcomeOf(call: () => Promise<{ data: any; meta: any }>): Promise<Outcome> {
  try {
    const { data, meta, ...more } = await call();
    const content = data instanceof ReadableStream ? await bytesOf(data) : data;
    return { data: content, meta, ...more };
  } catch (error) {
    if (!ConnectorError.is(error)) throw error;
    return { error: errorFields(error) };
  }
}

/** The number of bytes and their digest, so that a difference is reported without printing either. */
async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<object> {
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return { size: bytes.length, digest: createHash('sha256').update(bytes).digest('hex') };
}

/** Everything that an error contains. */
function errorFields(error: ConnectorError): object {
  const { name: _, ...fields } = error.toJSON();
  return fields;
}

/**
 * The legitimate differences between two equal vendors: their addresses, and the ids that the library generates for new
 * records.
 */
export function normalise(outcome: Outcome, { url }: Route, subject: ParitySubject, action: string): Outcome {
  const id = outcome.data === undefined ? undefined : subject.madeId?.(action, outcome.data);
  const { host } = new URL(url);
  const plain = (text: string) => {
    const address = text.replaceAll(host, 'vendor.test').replace(/(?<=assigned id )[\da-f-]{36}(?=)/, '<made id>');
    // URLs may contain only the beginning of the id.
    return id === undefined
      ? address
      : address.replaceAll(id, '<made id>').replaceAll(`#comment-${id.slice(0, 8)}`, '');
  };
  return mapStrings(outcome, plain) as Outcome;
}

/** The same value with every string changed; absent and undefined remain distinct. */
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]));
}
