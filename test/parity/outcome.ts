import { createHash } from 'node:crypto';
import { ConnectorError } from 'agent-connectors';
import type { Route } from './pair.js';
import type { ParitySubject } from './subject.js';

/** What came of a call, as it can be compared. */
export interface Outcome {
  readonly data?: unknown;
  readonly meta?: unknown;
  readonly error?: unknown;
}

/** Runs a call to its end; what it streams is read. */
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

/** How many bytes, and a digest of them: a difference is told without printing either. */
async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<object> {
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return { size: bytes.length, digest: createHash('sha256').update(bytes).digest('hex') };
}

/** All that an error tells. */
function errorFields(error: ConnectorError): object {
  const { name: _, ...fields } = error.toJSON();
  return fields;
}

/**
 * What must differ between two vendors that are equal: the address that each listens at, and the ids that the library
 * itself makes for new records.
 */
export function normalise(outcome: Outcome, { url }: Route, subject: ParitySubject, action: string): Outcome {
  const id = outcome.data === undefined ? undefined : subject.madeId?.(action, outcome.data);
  const { host } = new URL(url);
  const plain = (text: string) => {
    const address = text
      .replaceAll(host, 'vendor.test')
      .replace(/(?<=look for )[\da-f-]{36}(?=, its assigned id)/, '<made id>');
    // Addresses may have its beginning alone.
    return id === undefined
      ? address
      : address.replaceAll(id, '<made id>').replaceAll(`#comment-${id.slice(0, 8)}`, '');
  };
  return mapStrings(outcome, plain) as Outcome;
}

/** The same with every string changed; what is absent stays apart from what is undefined. */
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]));
}
