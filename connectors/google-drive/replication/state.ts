import type { Json } from '../../../src/authoring.js';
import { FolderFingerprints } from './folder-fingerprints.js';

/** A folder to be walked; without a path it has left the synced folder, and what is in it goes too. */
export type PendingFolder = readonly [id: string, path: string | null];

/** A shortcut to a file, and where it lies. */
export type Link = readonly [shortcut: string, target: string, path: string];

/** From where a run goes on. */
export interface State {
  readonly root: string;
  /** Where the change log goes on; null where none is followed. */
  token: string | null;
  /** Folders to be walked, the next one last. */
  ahead: PendingFolder[];
  /** The page of the next one. */
  page: string | null;
  readonly fingerprints: FolderFingerprints;
  links: Link[];
  /** Files whose text may be read another time. */
  again: string[];
  /** Files that a shortcut led to which is gone. */
  unsure: string[];
  /** When the last walk over everything began, in milliseconds since 1970. */
  walkedAt?: number;
}

/** Where a run begins that knows nothing yet. */
export const initialState = (root: string, token: string | null): State => ({
  ...{ root, token, page: null, ahead: [[root, '']], fingerprints: new FolderFingerprints(''), links: [], again: [] },
  unsure: [],
});

/** A state as it is kept. */
export function serializeState({ fingerprints, ahead, links, again, unsure, ...rest }: State): Json {
  const lists = { ahead: [...ahead], links: [...links], again: [...again], unsure: [...unsure] };
  return { ...rest, ...lists, folders: fingerprints.toString() };
}

/** The state that was kept; undefined where there is none for this folder. */
export function restoreState(stored: Json | undefined, root: string): State | undefined {
  const state = stored as unknown as (Omit<State, 'fingerprints'> & { readonly folders: string }) | null | undefined;
  if (!state || state.root !== root) return undefined;
  const { folders, ahead, links, again, unsure, ...rest } = state;
  const lists = { ahead: [...ahead], links: [...links], again: [...again], unsure: [...unsure] };
  return { ...rest, ...lists, fingerprints: new FolderFingerprints(folders) };
}
