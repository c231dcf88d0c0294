import type { Blob } from './byte-array.js';

/** One file or folder on the disk. */
export interface FolderEntry {
  /** The names from the served folder down to it, joined by `/`. */
  path: string;
  /** Whether it is a folder. */
  isFolder: boolean;
  /** Size in bytes. */
  size: number;
  /** When it was made; milliseconds since 1970. */
  createdTime: number;
  /** When it was last changed; milliseconds since 1970. */
  modifiedTime: number;
}

/** A folder of the disk that is served as a drive; every path is below it. */
export interface FolderDrive {
  /** Everything in it, folders before what they hold; links are left out. */
  list(): FolderEntry[];
  /** Opens a file for reading. */
  open(path: string): Blob;
  /** Makes a file or a folder below a folder and gives back the path that was free for it. */
  create(parent: string, name: string, content: Uint8Array | undefined): string;
  /** Writes a file, whole. */
  write(path: string, content: Uint8Array): void;
  /** Moves or renames, and gives back the path that was free for it. */
  move(path: string, parent: string, name: string): string;
  /** Removes a file, or a folder with all in it. */
  remove(path: string): void;
}
