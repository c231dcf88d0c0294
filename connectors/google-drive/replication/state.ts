import type { Json } from '../../../src/authoring.js';
import type { Item } from './items.js';
import type { Outside } from './outside.js';

/** A folder to list. If it has no path, it is no longer in the synced folder and its contents are deleted. */
export type PendingFolder = readonly [id: string, path: string | null];

/** A shortcut to a file, and its location. */
export type Link = readonly [shortcut: string, target: string, path: string];

/** State from which a run resumes. */
export interface State {
  readonly root: string;
  /** Position in the change log; null if there is none. */
  token: string | null;
  /** Folders to list; the next one is at the end. */
  ahead: PendingFolder[];
  /** The next folder's page token. */
  page: string | null;
  readonly fingerprints: FolderFingerprints;
  links: Link[];
  /** Files whose text will be retried. */
  again: string[];
  /** Whether the next run starts with a full walk, because more files failed than fit into `again`. */
  isWalkDue?: boolean;
  /** Former targets of deleted shortcuts. */
  unsure: string[];
  /** Resource keys of the files and folders above, by id. */
  keys: Record<string, string>;
  /** Whether a full walk has begun whose deletions are not known yet. */
  isRemovalDue?: boolean;
  /** Start of the last full walk, in milliseconds since 1970. */
  walkedAt?: number;
  /** What the account can read outside the synced folder. */
  outside?: Outside;
  /** Whether files have a `content_state`: a state without it restarts, so that all files are read again. */
  readonly hasTextStates?: true;
}

/** Initial state for a first run. */
export const initialState = (root: string, token: string | null): State => ({
  root,
  token,
  page: null,
  ahead: [[root, '']],
  fingerprints: new FolderFingerprints(''),
  links: [],
  again: [],
  unsure: [],
  keys: {},
  hasTextStates: true,
});

/** Serializes a state. */
export function serializeState({ fingerprints, ahead, links, again, unsure, keys, ...rest }: State): Json {
  const lists = { ahead: [...ahead], links: [...links], again: [...again], unsure: [...unsure] };
  const known = Object.entries(keys);
  if (known.length === 0) return { ...rest, ...lists, folders: fingerprints.toString() };
  const ids = new Set([...again, ...unsure, ...ahead.map(([id]) => id), ...links.map(([, target]) => target)]);
  const usedKeys = Object.fromEntries(known.filter(([id]) => ids.has(id)));
  return { ...rest, ...lists, keys: usedKeys, folders: fingerprints.toString() };
}

/** Restores a state; undefined if there is none for this folder. */
export function restoreState(stored: Json | undefined, root: string): State | undefined {
  const state = stored as unknown as
    | (Omit<State, 'fingerprints' | 'keys'> & { readonly folders: string; readonly keys?: State['keys'] })
    | null
    | undefined;
  if (!state || state.root !== root) return undefined;
  const { folders, ahead, links, again, unsure, keys, ...rest } = state;
  const lists = { ahead: [...ahead], links: [...links], again: [...again], unsure: [...unsure] };
  return { ...rest, ...lists, keys: { ...keys }, fingerprints: new FolderFingerprints(folders) };
}

const hashLength = 7;

/** A short (36-bit) hash of a string. */
function hash(text: string): string {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x2c1b3c6d);
    low = Math.imul(low ^ unit, 0x297a2d39);
    high ^= low >>> 15;
    low ^= high >>> 13;
  }
  return ((high >>> 0) * 16 + ((low >>> 0) % 16)).toString(36).padStart(hashLength, '0').slice(-hashLength);
}

/**
 * Folder fingerprints, fourteen characters each, that cover each folder's name and location.
 *
 * A changed fingerprint means that everything below the folder has a new path.
 */
class FolderFingerprints {
  readonly #folders = new Map<string, string>();

  constructor(text: string) {
    for (let at = 0; at < text.length; at += 2 * hashLength) {
      this.#folders.set(text.slice(at, at + hashLength), text.slice(at + hashLength, at + 2 * hashLength));
    }
  }

  has(id: string): boolean {
    return this.#folders.has(hash(id));
  }

  isUnchanged(folder: Item): boolean {
    return this.#folders.get(hash(folder.id)) === this.#locationHash(folder);
  }

  add(folder: Item): void {
    this.#folders.set(hash(folder.id), this.#locationHash(folder));
  }

  remove(id: string): void {
    this.#folders.delete(hash(id));
  }

  clear(): void {
    this.#folders.clear();
  }

  toString(): string {
    return [...this.#folders].flat().join('');
  }

  #locationHash({ name, parents }: Item): string {
    return hash(`${parents?.[0] ?? ''}/${name}`);
  }
}
