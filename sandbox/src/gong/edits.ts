import type { GongWorld } from './rows.js';

/** Edits that users can make in Gong but not through its API. */
export interface Edits {
  /** Ids of deleted calls. */
  deleted: string[];
  /** Ids of calls made private. */
  hidden: string[];
}

/** Applies the edits to the company's data. */
export function applyEdits(world: GongWorld, { deleted, hidden }: Edits): GongWorld {
  const deletedIds = new Set(deleted);
  const hiddenIds = new Set(hidden);
  return {
    ...world,
    calls: world.calls
      .filter(({ id }) => !deletedIds.has(id))
      .map((call) => (hiddenIds.has(call.id) ? { ...call, isPrivate: true } : call)),
    folders: world.folders.map((folder) => ({
      ...folder,
      calls: folder.calls.filter(({ callId }) => !deletedIds.has(callId)),
    })),
  };
}
