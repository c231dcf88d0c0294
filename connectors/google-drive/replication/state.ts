import type { Json } from '../../../src/authoring.js';
import { FolderFingerprints } from './folder-fingerprints.js';

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
  /** Start of the last full walk, in milliseconds since 1970. */
  walkedAt?: number;
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
});

/** Serializes a state. */
export function serializeState({ fingerprints, ahead, links, again, unsure, ...rest }: State): Json {
  const lists = { ahead: [...ahead], links: [...links], again: [...again], unsure: [...unsure] };
  return { ...rest, ...lists, folders: fingerprints.toString() };
}

/** Restores a state; undefined if there is none for this folder. */
export function restoreState(stored: Json | undefined, root: string): State | undefined {
  const state = stored as unknown as (Omit<State, 'fingerprints'> & { readonly folders: string }) | null | undefined;
  if (!state || state.root !== root) return undefined;
  const { folders, ahead, links, again, unsure, ...rest } = state;
  const lists = { ahead: [...ahead], links: [...links], again: [...again], unsure: [...unsure] };
  return { ...rest, ...lists, fingerprints: new FolderFingerprints(folders) };
}
