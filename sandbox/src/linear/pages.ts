import { isVisible, type LinearContext } from './context.js';
import { invalidArgument } from './errors.js';
import { matchesFilter } from './filter.js';
import type { Row } from './rows.js';
import type { PageArguments } from './sort.js';
import { sortRows } from './sort.js';

/** A connection's list. */
export interface Listing<Stored extends Row> {
  /** Distinguishes this list from others. */
  name: string;
  type: string;
  rows: () => readonly Stored[];
}

interface Page<Stored extends Row> {
  nodes: readonly Stored[];
  edges: () => { cursor: string; node: Stored }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

const defaultSize = 50;
const maxSize = 250;

/** Returns one page of a list as a Relay connection. */
export function page<Stored extends Row>(
  context: LinearContext,
  listing: Listing<Stored>,
  args: PageArguments,
): Page<Stored> {
  checkSizes(args);
  const view = context.views.get(keyOf(context, listing, args), context.workspace.version, () => {
    const rows = listing.rows().filter((row) => isListed(context, listing.type, row, args));
    return sortRows(rows, args);
  });
  const indexOf = (name: 'after' | 'before') => cursorIndex(view, listing.type, name, args[name]!);
  let from = args.after == null ? 0 : indexOf('after') + 1;
  let to = args.before == null ? view.rows.length : indexOf('before');
  const size = args.first ?? (args.last == null ? defaultSize : undefined);
  if (size !== undefined) to = Math.min(to, from + size);
  if (args.last != null) from = Math.max(from, to - args.last);

  const fault = context.fault;
  const isPageFault = fault === 'half_page' || fault === 'endless_cursor' || fault === 'null_cursor';
  // Only the outermost list in a response is affected by the fault.
  if (isPageFault) context.fault = undefined;
  if (fault === 'half_page' && to - from > 1) to = from + Math.floor((to - from) / 2);

  const nodes = view.rows.slice(from, Math.max(from, to));
  const cursor = (row: Stored | undefined) => (row ? cursorOf(listing.type, row.id) : null);
  const pageInfo = {
    hasNextPage: isPageFault && fault !== 'half_page' ? true : from + nodes.length < view.rows.length,
    hasPreviousPage: from > 0 && view.rows.length > 0,
    startCursor: cursor(nodes[0]),
    endCursor: cursor(nodes.at(-1)),
  };
  if (fault === 'endless_cursor') pageInfo.endCursor = args.after ?? pageInfo.endCursor;
  if (fault === 'null_cursor') pageInfo.endCursor = null;
  return { nodes, pageInfo, edges: () => nodes.map((node) => ({ cursor: cursor(node)!, node })) };
}

function isListed(context: LinearContext, type: string, row: Row, args: PageArguments): boolean {
  if (row.archivedAt !== null && !args.includeArchived) return false;
  if (type === 'User' && !(row as Row & { active: boolean }).active && !args.includeDisabled) return false;
  return isVisible(context, type, row) && (!args.filter || matchesFilter(context, row, args.filter));
}

function keyOf(context: LinearContext, listing: { name: string }, args: PageArguments): string {
  const { filter, includeArchived, includeDisabled, orderBy, sort } = args;
  const visibleTeams = context.teamIds && [...context.teamIds];
  // A filter may depend on the time or the viewer, so its view is cached per minute and viewer.
  const own = filter && [Math.floor(context.now / 60_000), context.viewer.id];
  return JSON.stringify([listing.name, filter, includeArchived, includeDisabled, orderBy, sort, visibleTeams, own]);
}

function checkSizes(args: PageArguments): void {
  for (const property of ['first', 'last'] as const) {
    const size = args[property];
    if (size == null) continue;
    if (size > maxSize) {
      throw invalidArgument([{ property, constraints: { max: `${property} must not be greater than ${maxSize}` } }]);
    }
    if (size < 1) {
      throw invalidArgument([{ property, constraints: { min: `${property} must not be less than 1` } }]);
    }
  }
}

/** Some of Linear's lists use base64 cursors, others bare ids: emulated so that clients rely on neither. */
const bareCursors = new Set(['Project', 'User', 'Comment', 'ProjectMilestone']);

function cursorOf(type: string, id: string): string {
  return bareCursors.has(type) ? id : btoa(`cursor:${type.toLowerCase()}:${id}`);
}

function cursorIndex(view: { indexOf(id: string): number }, type: string, property: string, cursor: string): number {
  let id = cursor;
  if (!bareCursors.has(type)) {
    try {
      id = atob(cursor).replace(`cursor:${type.toLowerCase()}:`, '');
    } catch {
      id = '';
    }
  }
  const index = view.indexOf(id);
  if (index < 0) throw invalidArgument([{ property, constraints: { isCursor: `${property} is not a valid cursor` } }]);
  return index;
}
