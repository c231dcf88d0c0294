import { ConnectorError, type Source } from '../../../src/authoring.js';

/** A record as Linear sends it. */
export interface Node {
  readonly id: string;
  readonly createdAt: string;
  readonly archivedAt?: string | null;
  readonly [field: string]: unknown;
}

/** How far a walk has come. */
export type Place = {
  /** When the last record was made that has been read. */
  readonly before: string | null;
  /** The records that have been read of those made at that moment. */
  readonly seen: readonly string[];
  /** A cursor, where more were made at one moment than a page holds. */
  readonly after: string | null;
};

/** Where a walk begins. */
export const beginning: Place = { before: null, seen: [], after: null };

/** One step of a walk; `next` is where to go on, null at the end. */
interface Step {
  readonly nodes: readonly Node[];
  readonly next: Place | null;
}

/** What is asked of each page beside its place. */
interface Wanted {
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  readonly includeArchived?: boolean | undefined;
}

/**
 * Walks a list from the newest record to the oldest.
 *
 * Pages follow each other by the moment of creation, which never changes. So a record that is changed meanwhile is
 * neither skipped nor read twice, and a walk can go on days later, when the record is gone that a cursor would name.
 */
export async function* walk(source: Source, call: string, from: Place, wanted: Wanted = {}): AsyncGenerator<Step> {
  for (let place: Place | null = from; place; ) {
    const step: Step = await stepFrom(source, call, place, wanted);
    yield step;
    place = step.next;
  }
}

async function stepFrom(source: Source, call: string, place: Place, { filter, includeArchived }: Wanted) {
  const { before, seen, after } = place;
  const params = {
    filter: { ...filter, ...(before !== null && { createdAt: { lt: justAfter(before) } }) },
    ...(after !== null && { after }),
    ...(includeArchived && { includeArchived }),
  };
  const { data, meta } = await source.call(call, params);
  const page = data as readonly Node[];
  const known = new Set(seen);
  const nodes = page.filter(({ id }) => !known.has(id));
  return { nodes, next: meta.hasNextPage ? following(place, page, meta.endCursor) : null };
}

// Linear's moments may be finer than the milliseconds that it tells.
const justAfter = (moment: string): string => new Date(Date.parse(moment) + 1).toISOString();

function following({ before, seen, after }: Place, page: readonly Node[], endCursor: string | null): Place {
  const last = page.at(-1)?.createdAt ?? before;
  const ofLast = page.filter(({ createdAt }) => createdAt === last).map(({ id }) => id);
  if (last !== null && last !== before) return { before: last, seen: ofLast, after: null };
  if (!endCursor || endCursor === after) {
    throw new ConnectorError('invalid_response', 'Linear says that there are more records but gives no new cursor.');
  }
  return { before, seen: [...new Set([...seen, ...ofLast])], after: endCursor };
}
