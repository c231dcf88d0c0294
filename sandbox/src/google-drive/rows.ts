/** Somebody's rights on a file or on a shared drive. */
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

/** What somebody may do, from little to everything. */
export type Role = 'reader' | 'commenter' | 'writer' | 'fileOrganizer' | 'organizer' | 'owner';

/** One state of a file's content. */
export interface RevisionRow {
  id: string;
  modifiedTime: string;
  mimeType: string;
  /** The key of the person who wrote it. */
  by: string;
  /** Where the bytes are kept, none for documents of Google's own types. */
  blob?: string;
  originalFilename?: string;
  keepForever?: boolean;
  published?: boolean;
}

/** The text of a document of Google's own types; `times` repeats it without keeping it. */
export interface DocumentText {
  text: string;
  times?: number;
}

/** One file, folder or shortcut. */
export interface FileRow {
  id: string;
  name: string;
  mimeType: string;
  /** The folder it is in, none for roots and for what was shared without its folder. */
  parent?: string;
  /** The shared drive it belongs to. */
  driveId?: string;
  /** The key of the person who owns it, none in shared drives. */
  owner?: string;
  createdTime: string;
  modifiedTime: string;
  /** The key of the person who changed it last. */
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
  /** Made or opened through the API, so that clients with the scope for single files see it. */
  isAppAuthorized?: boolean;
  isAbusive?: boolean;
  copyRequiresWriterPermission?: boolean;
  writersCanShare?: boolean;
  /** Shared by link before 2021, so that whoever knows the link alone has to show this key. */
  resourceKey?: string;
  readOnlyReason?: string;
  /** Where it lies in the served folder of the disk. */
  diskPath?: string;
  /** When it was last seen to have changed there, unknown after a write of our own. */
  diskTime?: number;
}

/** One shared drive. */
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
}

/** A comment on a file. */
export interface CommentRow extends Omit<ReplyRow, 'action'> {
  fileId: string;
  anchor?: string;
  quoted?: string;
  assignee?: string;
  mentioned: string[];
  replies: ReplyRow[];
}

/** One entry of the changes feed. */
export interface ChangeRow {
  time: string;
  fileId?: string;
  driveId?: string;
  /** Who saw it before it went away, as keys of people. */
  removedFor?: string[];
}

/** A resumable upload that is under way. */
export interface UploadRow {
  id: string;
  grant: string;
  /** The address of whoever began it. */
  account: string;
  /** The file to change, none where a new one is made. */
  fileId?: string;
  metadata: Record<string, unknown>;
  search: string;
  mimeType: string;
  /** The announced length, unknown when absent. */
  length?: number;
  startedAt: number;
  /** The file that came of it, once it is complete. */
  finished?: string;
}
