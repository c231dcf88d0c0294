import type { GongWorld } from './rows.js';

/** What people have done to calls in Gong itself, which its API has no way for. */
export interface Edits {
  /** Ids of calls that were deleted. */
  deleted: string[];
  /** Ids of calls that were made private. */
  hidden: string[];
}

/** What the company's Gong holds after that. */
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
