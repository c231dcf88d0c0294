import type { Blob, ByteArray } from '../../byte-array.js';
import { type DriveContext, ownerPermission, permissionIdOf, personForKey } from '../context.js';
import { typeOfName, types } from '../mime.js';
import type { CommentRow, FileRow, Role } from '../rows.js';
import type { DriveWorld } from '../world.js';

const day = 86_400_000;

/** Properties of a seeded file besides name, type and content. */
export interface FileSpec extends Partial<FileRow> {
  /** The owner; Ines by default. */
  by?: string;
  /** Creation and modification times, in days before the sandbox started. */
  createdDaysAgo?: number;
  modifiedDaysAgo?: number;
  /** Content: bytes, or the text of a native document. */
  bytes?: ByteArray | Blob;
  text?: string;
  repeatCount?: number;
  /** Number of revisions. */
  revisionCount?: number;
}

/** Adds files to a new world, in order. */
export class Builder {
  readonly world: DriveWorld;
  private readonly start: number;

  constructor(world: DriveWorld, start: number) {
    this.world = world;
    this.start = start;
  }

  time(daysAgo: number): string {
    return new Date(this.start - Math.round(daysAgo * day)).toISOString();
  }

  folder(name: string, parent: string, spec: FileSpec = {}): string {
    return this.file(name, types.folder, parent, spec).id;
  }

  document(name: string, parent: string, text: string, spec: FileSpec = {}): FileRow {
    return this.file(name, types.document, parent, { text, ...spec });
  }

  sheet(name: string, parent: string, text: string, spec: FileSpec = {}): FileRow {
    return this.file(name, types.spreadsheet, parent, { text, ...spec });
  }

  text(name: string, parent: string, text: string, spec: FileSpec = {}): FileRow {
    return this.file(name, typeOfName(name), parent, { bytes: new TextEncoder().encode(text), ...spec });
  }

  binary(name: string, parent: string, bytes: ByteArray | Blob, spec: FileSpec = {}): FileRow {
    return this.file(name, typeOfName(name), parent, { bytes, ...spec });
  }

  file(name: string, mimeType: string, parent: string, spec: FileSpec): FileRow {
    const {
      by = 'ines.carvalho',
      createdDaysAgo = 90,
      modifiedDaysAgo = createdDaysAgo / 2,
      bytes,
      text,
      repeatCount,
      revisionCount = 1,
      ...row
    } = spec;
    const { world } = this;
    const folder = world.files.get(parent);
    const isShared = folder?.driveId !== undefined;
    const file: FileRow = {
      id: world.newId(mimeType === types.document || mimeType === types.spreadsheet ? 44 : 33),
      name,
      mimeType,
      ...(folder && { parent }),
      ...(isShared ? { driveId: folder.driveId! } : { owner: by }),
      createdTime: this.time(createdDaysAgo),
      modifiedTime: this.time(modifiedDaysAgo),
      modifiedBy: by,
      version: 1 + revisionCount,
      starredBy: [],
      viewedBy: { [by]: this.time(modifiedDaysAgo) },
      sharedWith: {},
      permissions: isShared ? [] : [ownerPermission(by)],
      revisions: [],
      ...row,
    };
    if (text !== undefined) file.document = { text, ...(repeatCount !== undefined && { times: repeatCount }) };
    this.addRevisions(file, revisionCount, bytes, createdDaysAgo, modifiedDaysAgo);
    world.files.set(file.id, file);
    world.changes.push({
      time: file.modifiedTime,
      fileId: file.id,
      ...(file.driveId !== undefined && { driveId: file.driveId }),
    });
    return file;
  }

  /** Shares a file with a person. */
  share(file: FileRow, person: string, role: Role, daysAgo = 10): void {
    const { email: emailAddress, name: displayName } = personForKey(person);
    file.permissions.push({ id: permissionIdOf(emailAddress), type: 'user', role, emailAddress, displayName });
    if (file.owner !== undefined) file.sharedWith[person] = { time: this.time(daysAgo), by: file.owner };
  }

  comment(
    file: FileRow,
    author: string,
    content: string,
    more: Partial<CommentRow> & { ago?: number } = {},
  ): CommentRow {
    const { ago = 5, ...row } = more;
    const time = this.time(ago);
    const comment: CommentRow = {
      id: `AAAA${this.world.newId(8, 'B')}`,
      fileId: file.id,
      author,
      content,
      createdTime: time,
      modifiedTime: time,
      mentioned: [],
      replies: [],
      ...row,
    };
    this.world.comments.set(comment.id, comment);
    return comment;
  }

  private addRevisions(file: FileRow, drafts: number, bytes: FileSpec['bytes'], made: number, changed: number): void {
    if (file.mimeType === types.folder || file.mimeType === types.shortcut) return;
    for (let index = 0; index < drafts; index += 1) {
      const isLast = index === drafts - 1;
      const modifiedTime = isLast ? file.modifiedTime : this.time(made - ((made - changed) * index) / drafts);
      const by = file.owner ?? file.modifiedBy;
      const id = bytes ? this.world.newId(51, '0B') : String(index * 17 + 1);
      const draft = bytes instanceof Uint8Array && !isLast ? bytes.slice(0, Math.ceil(bytes.length / 2)) : bytes;
      file.revisions.push({
        id,
        modifiedTime,
        mimeType: file.mimeType,
        by,
        ...(draft && {
          blob: this.world.storeBlob(draft),
          originalFilename: file.name,
          keepForever: isLast && drafts > 2,
        }),
      });
    }
  }
}

/** The person whose My Drive is visible to most credentials. */
export const owner: DriveContext['person'] = 'ines.carvalho';
