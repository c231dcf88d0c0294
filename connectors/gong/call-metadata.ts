import { ConnectorError, type HttpRequest, post } from '../../src/authoring.js';
import { emptyIfNotFound } from './operations.js';

/** Maximum ids per request. */
const maxIdsPerRequest = 100;

/**
 * Metadata for these calls by id, excluding calls that this key cannot see; if requested, with their parties.
 *
 * Only this endpoint reports whether a call is private.
 */
export function* fetchCallMetadata(
  callIds: readonly string[],
  parties = false,
): Generator<HttpRequest, Map<string, any>, any> {
  const contentSelector = parties && { contentSelector: { exposedFields: { parties } } };
  const known = new Map<string, any>();
  const distinct = [...new Set(callIds)];
  for (let from = 0; from < distinct.length; from += maxIdsPerRequest) {
    const filter = { callIds: distinct.slice(from, from + maxIdsPerRequest) };
    let cursor: string | undefined;
    do {
      const page = yield* emptyIfNotFound(
        post('/v2/calls/extensive', { filter, ...contentSelector, ...(cursor !== undefined && { cursor }) }),
        'calls',
      );
      for (const call of page.calls ?? []) {
        if (call?.metaData?.id == null) continue;
        known.set(String(call.metaData.id), { ...call.metaData, ...(parties && { parties: call.parties }) });
      }
      const next: string | undefined = page.records?.cursor ?? undefined;
      if (next !== undefined && next === cursor) {
        throw new ConnectorError('invalid_response', 'Gong reported more calls but sent no new cursor.');
      }
      cursor = next;
    } while (cursor !== undefined);
  }
  return known;
}

/** If private calls are included, missing details are not an error. */
export function* fetchCallMetadataIfAllowed(
  ...args: Parameters<typeof fetchCallMetadata>
): ReturnType<typeof fetchCallMetadata> {
  try {
    return yield* fetchCallMetadata(...args);
  } catch (error) {
    if (ConnectorError.is(error) && error.code === 'scope_missing') return new Map();
    throw error;
  }
}

/** Like `fetchCallMetadata`, with a hint if the scope is missing. */
export const requireCallMetadata = (...args: Parameters<typeof fetchCallMetadata>) =>
  explained(
    fetchCallMetadata(...args),
    'Could not determine which of these calls are private.',
    'Add the api:calls:read:extensive scope, or create the connector with includePrivate: true.',
  );

/** Metadata and parties of calls whose speakers are selected by name. */
export const requireParties = (callIds: readonly string[]) =>
  explained(
    fetchCallMetadata(callIds, true),
    "Could not read the names of these calls' speakers.",
    'Add the api:calls:read:extensive scope, or pass the speakerId of sentences as speaker.',
  );

/** Explains why a missing scope fails the call. */
function* explained(
  lookup: ReturnType<typeof fetchCallMetadata>,
  reason: string,
  hint: string,
): ReturnType<typeof fetchCallMetadata> {
  try {
    return yield* lookup;
  } catch (error) {
    if (!ConnectorError.is(error) || error.code !== 'scope_missing') throw error;
    const { status, vendor, message } = error;
    throw new ConnectorError('scope_missing', `${reason} ${message}`, { status, vendor, hint });
  }
}

/** The rows, excluding private and unprocessed calls, and how many of each were removed. */
export function withoutHidden<Row>(rows: readonly Row[], known: Map<string, any>, callIdOf: (row: Row) => string) {
  const ready = rows.filter((row) => known.has(callIdOf(row)));
  const kept = ready.filter((row) => known.get(callIdOf(row)).isPrivate !== true);
  return { kept, private_dropped: ready.length - kept.length, not_ready: rows.length - ready.length };
}
