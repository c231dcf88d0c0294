import type { AuditEntry } from 'agent-connectors/wire';

const callerFields = ['event', 'client_id', 'via', 'intent', 'outcome', 'address', 'subject'] as const;
const calledFields = ['workspace_id', 'connector_id', 'entity', 'action', 'effect'] as const;
/** Reads that a page of the console sends at once are at most this far apart, in milliseconds. */
const burstMs = 5_000;

/**
 * Groups consecutive entries that differ only in time and parameters, and the successful reads of a page of the console,
 * which sends dozens to link a record. Writes are never grouped.
 */
export function groupEntries<Entry extends AuditEntry>(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    const [first, last] = [group?.[0], group?.at(-1)];
    const isSame = (fields: ReadonlyArray<keyof AuditEntry>) =>
      fields.every((field) => entry[field] === first?.[field]);
    const isRead = entry.effect === null || entry.effect === 'read';
    if (group && isRead && isSame(callerFields) && (isSame(calledFields) || isBurst(entry, last!))) group.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

const isBurst = (entry: AuditEntry, later: AuditEntry): boolean =>
  entry.via === 'console' &&
  entry.outcome === 'success' &&
  entry.effect === 'read' &&
  later.effect === 'read' &&
  Date.parse(later.at) - Date.parse(entry.at) <= burstMs;
