import type { GongWorld } from './rows.js';

/** What people have done to calls in Gong itself, which its API has no way for. */
export interface Edits {
  /** Ids of calls that were deleted. */
  deleted: string[];
  /** Ids of calls that were made private. */
  hidden: string[];
}

/** What the company's Gong holds after that. */
export function edited(world: GongWorld, { deleted, hidden }: Edits): GongWorld {
  const gone = new Set(deleted);
  const secret = new Set(hidden);
  return {
    ...world,
    calls: world.calls
      .filter(({ id }) => !gone.has(id))
      .map((call) => (secret.has(call.id) ? { ...call, isPrivate: true } : call)),
    folders: world.folders.map((folder) => ({
      ...folder,
      calls: folder.calls.filter(({ callId }) => !gone.has(callId)),
    })),
  };
}
