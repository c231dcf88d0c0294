import type { Json } from '../../../src/authoring.js';
import { FolderMemory } from './memory.js';

/** A folder to be walked; without a path it has left the synced folder, and what is in it goes too. */
export type Ahead = readonly [id: string, path: string | null];

/** A shortcut to a file, and where it lies. */
export type Link = readonly [shortcut: string, target: string, path: string];

/** From where a run goes on. */
export interface State {
  readonly root: string;
  /** Where the change log goes on; null where none is followed. */
  token: string | null;
  /** Folders to be walked, the next one last. */
  ahead: Ahead[];
  /** The page of the next one. */
  page: string | null;
  readonly memory: FolderMemory;
  links: Link[];
  /** Files whose text may be read another time. */
  again: string[];
  /** Files that a shortcut led to which is gone. */
  unsure: string[];
}

/** Where a run begins that knows nothing yet. */
export const beginning = (root: string, token: string | null): State => ({
  ...{ root, token, page: null, ahead: [[root, '']], memory: new FolderMemory(''), links: [], again: [] },
  unsure: [],
});

/** A state as it is kept. */
export function saved({ memory, ahead, links, again, unsure, ...rest }: State): Json {
  const lists = { ahead: [...ahead], links: [...links], again: [...again], unsure: [...unsure] };
  return { ...rest, ...lists, folders: memory.toString() };
}

/** The state that was kept; undefined where there is none for this folder. */
export function restored(kept: Json | undefined, root: string): State | undefined {
  const state = kept as unknown as (Omit<State, 'memory'> & { readonly folders: string }) | null | undefined;
  if (!state || state.root !== root) return undefined;
  const { folders, ahead, links, again, unsure, ...rest } = state;
  const lists = { ahead: [...ahead], links: [...links], again: [...again], unsure: [...unsure] };
  return { ...rest, ...lists, memory: new FolderMemory(folders) };
}
