import type { Blob } from './byte-array.js';

/** A file or folder on disk. */
export interface FolderEntry {
  /** Path below the served folder, joined with `/`. */
  path: string;
  /** Whether it is a folder. */
  isFolder: boolean;
  /** Size in bytes. */
  size: number;
  /** Creation time; milliseconds since 1970. */
  createdTime: number;
  /** Modification time; milliseconds since 1970. */
  modifiedTime: number;
}

/** A folder on disk served as a drive; all paths are relative to it. */
export interface FolderDrive {
  /** All entries, folders before their contents; links are skipped. */
  list(): FolderEntry[];
  /** Opens a file for reading. */
  open(path: string): Blob;
  /** Creates a file or folder and returns the path that was available for it. */
  create(parent: string, name: string, content: Uint8Array | undefined): string;
  /** Replaces a file's content. */
  write(path: string, content: Uint8Array): void;
  /** Moves or renames an entry, and returns the path that was available for it. */
  move(path: string, parent: string, name: string): string;
  /** Deletes a file, or a folder with its contents. */
  remove(path: string): void;
}
