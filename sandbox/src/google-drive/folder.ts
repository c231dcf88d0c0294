import type { Blob } from './bytes.js';

/** One file or folder on the disk. */
export interface FolderEntry {
  /** The names from the served folder down to it, joined by `/`. */
  path: string;
  isFolder: boolean;
  size: number;
  createdTime: number;
  modifiedTime: number;
}

/** A folder of the disk that is served as a drive; every path is below it. */
export interface FolderDrive {
  /** Everything in it, folders before what they hold; links are left out. */
  list(): FolderEntry[];
  open(path: string): Blob;
  /** Makes a file or a folder below a folder and gives back the path that was free for it. */
  create(parent: string, name: string, content: Uint8Array | undefined): string;
  write(path: string, content: Uint8Array): void;
  /** Moves or renames, and gives back the path that was free for it. */
  move(path: string, parent: string, name: string): string;
  remove(path: string): void;
}
