/** A person's permission on a file or shared drive. */
export interface PermissionRow {
  id: string;
  type: 'user' | 'group' | 'domain' | 'anyone';
  role: Role;
  emailAddress?: string;
  domain?: string;
  displayName?: string;
  allowFileDiscovery?: boolean;
  expirationTime?: string;
  deleted?: boolean;
}

/** Roles in ascending order. */
export type Role = 'reader' | 'commenter' | 'writer' | 'fileOrganizer' | 'organizer' | 'owner';

/** A revision of a file's content. */
export interface RevisionRow {
  id: string;
  modifiedTime: string;
  mimeType: string;
  /** The author's person key. */
  by: string;
  /** Key of the bytes; undefined for native documents. */
  blob?: string;
  originalFilename?: string;
  keepForever?: boolean;
  published?: boolean;
}

/** The text of a native document; `times` repeats the text without storing the copies. */
export interface DocumentText {
  text: string;
  times?: number;
}

/** A file, folder or shortcut. */
export interface FileRow {
  id: string;
  name: string;
  mimeType: string;
  /** The parent folder; undefined for roots and for items shared without their folder. */
  parent?: string;
  /** The shared drive it belongs to. */
  driveId?: string;
  /** The owner's person key; undefined in shared drives. */
  owner?: string;
  createdTime: string;
  modifiedTime: string;
  /** The last editor's person key. */
  modifiedBy: string;
  version: number;
  description?: string;
  originalFilename?: string;
  folderColorRgb?: string;
  starredBy: string[];
  viewedBy: Record<string, string>;
  sharedWith: Record<string, { time: string; by: string }>;
  trashed?: { time: string; by: string };
  permissions: PermissionRow[];
  revisions: RevisionRow[];
  document?: DocumentText;
  shortcut?: { targetId: string; targetMimeType: string };
  properties?: Record<string, string>;
  appProperties?: Record<string, string>;
  image?: { width: number; height: number };
  /** Created or opened through the API, so per-file clients can see it. */
  isAppAuthorized?: boolean;
  /** Keys of the people who have chosen it in the picker, so per-file clients see it on their behalf. */
  pickedBy?: string[];
  isAbusive?: boolean;
  copyRequiresWriterPermission?: boolean;
  writersCanShare?: boolean;
  /** Key required for link access, because the file was shared by link before 2021. */
  resourceKey?: string;
  readOnlyReason?: string;
  /** Its path in the served folder on disk. */
  diskPath?: string;
  /** Last known modification time on disk; undefined after our own write. */
  diskTime?: number;
}

/** A shared drive. */
export interface DriveRow {
  id: string;
  name: string;
  createdTime: string;
  themeId: string;
  colorRgb: string;
  hiddenFor: string[];
  orgUnitId: string;
  members: PermissionRow[];
  restrictions: Record<string, boolean>;
}

/** A reply to a comment. */
export interface ReplyRow {
  id: string;
  author: string;
  content: string;
  createdTime: string;
  modifiedTime: string;
  action?: 'resolve' | 'reopen';
  deleted?: boolean;
  assignee?: string;
  mentioned?: string[];
}

/** A comment on a file. */
export interface CommentRow extends Omit<ReplyRow, 'action'> {
  fileId: string;
  anchor?: string;
  quoted?: string;
  replies: ReplyRow[];
}

/** An entry in the changes feed. */
export interface ChangeRow {
  time: string;
  fileId?: string;
  driveId?: string;
  /** Keys of people who could see the item before it was removed. */
  removedFor?: string[];
}

/** A resumable upload in progress. */
export interface UploadRow {
  id: string;
  grant: string;
  /** The uploader's account. */
  account: string;
  /** The file to update; undefined for a new one. */
  fileId?: string;
  metadata: Record<string, unknown>;
  search: string;
  mimeType: string;
  /** The declared length, if known. */
  length?: number;
  startedAt: number;
  /** The resulting file, once complete. */
  finished?: string;
}
