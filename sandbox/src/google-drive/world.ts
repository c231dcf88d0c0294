import type { Blob, ByteArray } from '../byte-array.js';
import { Random } from '../random.js';
import { fromBase64, MemoryBlob, toBase64, VirtualBlob } from './bytes.js';
import { concatBytes } from './formats/zip.js';
import type { ChangeRow, CommentRow, DriveRow, FileRow, UploadRow } from './rows.js';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** All data of the emulated Drive. */
export class DriveWorld {
  readonly files = new Map<string, FileRow>();
  readonly drives = new Map<string, DriveRow>();
  readonly comments = new Map<string, CommentRow>();
  readonly changes: ChangeRow[] = [];
  readonly blobs = new Map<string, Blob>();
  readonly uploads = new Map<string, UploadRow>();
  /** Bytes received by uploads in progress. */
  readonly received: Map<string, Uint8Array[]> = new Map();
  /** Root folder of each My Drive, by person key. */
  readonly roots = new Map<string, string>();
  /** Ids reserved for future files. */
  readonly reserved = new Set<string>();
  random = new Random(0);

  /** A new id that looks like Drive's. */
  newId(length = 33, prefix = '1'): string {
    let id = prefix;
    while (id.length < length) id += letters[this.random.between(0, 63)];
    return id;
  }

  root(person: string): string {
    return this.roots.get(person) ?? '';
  }

  isRoot(file: FileRow): boolean {
    return this.roots.get(file.owner ?? '') === file.id || file.driveId === file.id;
  }

  /** The folders above a file, nearest first. */
  *ancestors(file: FileRow): Generator<FileRow> {
    const seen = new Set([file.id]);
    for (let at = file.parent; at !== undefined && !seen.has(at); ) {
      seen.add(at);
      const folder = this.files.get(at);
      if (!folder) return;
      yield folder;
      at = folder.parent;
    }
  }

  /** Whether a file or one of its parents is in the trash. */
  isTrashed(file: FileRow): boolean {
    if (file.trashed) return true;
    for (const folder of this.ancestors(file)) if (folder.trashed) return true;
    return false;
  }

  /** A file and everything below it. */
  withDescendants(file: FileRow): FileRow[] {
    const byParent = new Map<string, FileRow[]>();
    for (const one of this.files.values()) {
      if (one.parent === undefined) continue;
      const siblings = byParent.get(one.parent);
      if (siblings) siblings.push(one);
      else byParent.set(one.parent, [one]);
    }
    const found = [file];
    for (const one of found) found.push(...(byParent.get(one.id) ?? []));
    return found;
  }

  storeBlob(content: Blob | ByteArray): string {
    const key = this.newId(20, 'b');
    this.blobs.set(key, content instanceof Uint8Array ? new MemoryBlob(content) : content);
    return key;
  }

  /** Discards a disk file's old contents; only the current content exists on disk. */
  forgetContents(file: FileRow): void {
    for (const revision of file.revisions) {
      if (revision.blob === undefined) continue;
      this.blobs.delete(revision.blob);
      delete revision.blob;
    }
  }

  /** The content of a file's newest revision. */
  contentOf(file: FileRow): Blob | undefined {
    const key = file.revisions.at(-1)?.blob;
    return key === undefined ? undefined : this.blobs.get(key);
  }

  /** Records that a file was added or changed. */
  recordChange(file: FileRow, time: string): void {
    file.version += 1;
    this.changes.push({ time, fileId: file.id, ...(file.driveId !== undefined && { driveId: file.driveId }) });
  }

  remove(file: FileRow, time: string, removedFor: string[]): void {
    this.files.delete(file.id);
    for (const { blob } of file.revisions) if (blob !== undefined) this.blobs.delete(blob);
    for (const comment of this.comments.values()) {
      if (comment.fileId === file.id) this.comments.delete(comment.id);
    }
    const { id: fileId, driveId } = file;
    this.changes.push({ time, fileId, removedFor, ...(driveId !== undefined && { driveId }) });
  }

  /** A copy with its own rows; contents are immutable and shared. */
  copy(): DriveWorld {
    const copy = new DriveWorld();
    const rows = ['files', 'drives', 'comments', 'uploads', 'roots'] as const;
    for (const name of rows) for (const [key, row] of structuredClone(this[name])) copy[name].set(key, row as never);
    for (const [key, blob] of this.blobs) copy.blobs.set(key, blob);
    for (const id of this.reserved) copy.reserved.add(id);
    copy.changes.push(...structuredClone(this.changes));
    copy.random = new Random(this.random.state);
    return copy;
  }

  dump(): WorldDump {
    return {
      ...structuredClone({
        files: [...this.files.values()],
        drives: [...this.drives.values()],
        comments: [...this.comments.values()],
        changes: this.changes,
        uploads: [...this.uploads.values()],
        roots: [...this.roots],
        reserved: [...this.reserved],
      }),
      blobs: [...this.blobs].flatMap(([key, blob]) => dumpBlob(key, blob)),
      received: [...this.received].map(([id, chunks]) => [id, toBase64(concatBytes(chunks))]),
      random: this.random.state,
    };
  }

  static load(saved: WorldDump): DriveWorld {
    const dump = structuredClone(saved);
    const world = new DriveWorld();
    world.random = new Random(dump.random);
    for (const file of dump.files) world.files.set(file.id, file);
    for (const drive of dump.drives) world.drives.set(drive.id, drive);
    for (const comment of dump.comments) world.comments.set(comment.id, comment);
    for (const upload of dump.uploads) world.uploads.set(upload.id, upload);
    for (const [person, id] of dump.roots) world.roots.set(person, id);
    for (const id of dump.reserved) world.reserved.add(id);
    for (const [id, text] of dump.received) world.received.set(id, [fromBase64(text)]);
    for (const blob of dump.blobs) {
      const restored = 'base64' in blob ? new MemoryBlob(fromBase64(blob.base64)) : restoreVirtualBlob(blob);
      world.blobs.set(blob.key, restored);
    }
    world.changes.push(...dump.changes);
    return world;
  }
}

type DumpedBlob =
  | { key: string; base64: string }
  | { key: string; length: number; md5: string; sha1: string; sha256: string };

/** The emulated Drive as plain JSON. */
export interface WorldDump {
  files: FileRow[];
  drives: DriveRow[];
  comments: CommentRow[];
  changes: ChangeRow[];
  uploads: UploadRow[];
  roots: [string, string][];
  reserved: string[];
  blobs: DumpedBlob[];
  received: [string, string][];
  random: number;
}

/** Contents as base64, cached because they are immutable and dumped repeatedly. */
const encoded = new WeakMap<Blob, string>();

function dumpBlob(key: string, blob: Blob): DumpedBlob[] {
  if (blob instanceof MemoryBlob) {
    const base64 = encoded.get(blob) ?? toBase64(blob.bytes);
    encoded.set(blob, base64);
    return [{ key, base64 }];
  }
  // Contents on disk are not dumped; they are found by path.
  return blob instanceof VirtualBlob ? [{ key, length: blob.length, ...blob.checksums() }] : [];
}

function restoreVirtualBlob({ length, md5, sha1, sha256 }: Exclude<DumpedBlob, { base64: string }>): VirtualBlob {
  return new VirtualBlob(length, { md5, sha1, sha256 });
}
