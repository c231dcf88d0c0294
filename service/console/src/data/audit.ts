import type { AuditEntry } from 'agent-connectors/wire';

const comparedFields = [
  ...(['event', 'workspace_id', 'connector_id', 'client_id', 'via', 'entity', 'action', 'effect'] as const),
  ...(['intent', 'outcome', 'address', 'subject'] as const),
] as const;

/** Groups consecutive entries that differ only in time and parameters; writes are never grouped. */
export function groupEntries<Entry extends AuditEntry>(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    const isRepeated =
      (entry.effect === null || entry.effect === 'read') &&
      comparedFields.every((field) => entry[field] === group?.[0]?.[field]);
    if (group && isRepeated) group.push(entry);
    else groups.push([entry]);
  }
  return groups;
}
