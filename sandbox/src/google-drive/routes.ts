import type { DriveScope } from '../google/drive-credentials.js';
import type { VendorReply } from '../vendor.js';
import { getAbout } from './about.js';
import { getStartPageToken, listChanges } from './changes.js';
import { createComment, createReply, getComment, getReply, listComments, listReplies } from './comments.js';
import type { DriveContext } from './context.js';
import { getDrive, listDrives } from './drives.js';
import { listFiles } from './files-list.js';
import { exportFile, generateIds, getFile } from './files-read.js';
import { createFile, deleteFile, updateFile } from './files-write.js';
import { createPermission, deletePermission, getPermission, listPermissions } from './permissions.js';
import { getRevision, listRevisions } from './revisions.js';
import { uploadFile } from './upload.js';

/** An API method. */
export interface Route {
  verb: string;
  /** The path with names in braces, as in Google's documentation. */
  path: string;
  /** The method's name in errors. */
  name: string;
  scopes: readonly DriveScope[];
  answer(context: DriveContext, ...parts: string[]): VendorReply;
}

const metadataScopes = ['drive', 'drive.readonly', 'drive.file', 'drive.metadata.readonly'] as const;
const contentScopes = ['drive', 'drive.readonly', 'drive.file'] as const;
const readScopes = ['drive', 'drive.readonly'] as const;
const writeScopes = ['drive', 'drive.file'] as const;

const v3 = '/drive/v3';
const file = `${v3}/files/{fileId}`;
const upload = '/upload/drive/v3';

/** All emulated methods. */
export const routes: readonly Route[] = [
  route('GET', `${v3}/files`, 'DriveFiles.List', metadataScopes, listFiles),
  route('GET', `${v3}/files/generateIds`, 'DriveFiles.GenerateIds', writeScopes, generateIds),
  route('GET', file, 'DriveFiles.Get', metadataScopes, getFile),
  route('GET', `${file}/export`, 'DriveFiles.Export', contentScopes, exportFile),
  route('POST', `${v3}/files`, 'DriveFiles.Create', writeScopes, createFile),
  route('PATCH', file, 'DriveFiles.Update', writeScopes, updateFile),
  route('DELETE', file, 'DriveFiles.Delete', writeScopes, deleteFile),
  route('GET', `${v3}/about`, 'DriveAbout.Get', metadataScopes, getAbout),
  route('GET', `${v3}/drives`, 'DriveDrives.List', readScopes, listDrives),
  route('GET', `${v3}/drives/{driveId}`, 'DriveDrives.Get', readScopes, getDrive),
  route('GET', `${file}/permissions`, 'DrivePermissions.List', metadataScopes, listPermissions),
  route('GET', `${file}/permissions/{permissionId}`, 'DrivePermissions.Get', metadataScopes, getPermission),
  route('POST', `${file}/permissions`, 'DrivePermissions.Create', writeScopes, createPermission),
  route('DELETE', `${file}/permissions/{permissionId}`, 'DrivePermissions.Delete', writeScopes, deletePermission),
  route('GET', `${file}/comments`, 'DriveComments.List', contentScopes, listComments),
  route('GET', `${file}/comments/{commentId}`, 'DriveComments.Get', contentScopes, getComment),
  route('POST', `${file}/comments`, 'DriveComments.Create', writeScopes, createComment),
  route('GET', `${file}/comments/{commentId}/replies`, 'DriveReplies.List', contentScopes, listReplies),
  route('GET', `${file}/comments/{commentId}/replies/{replyId}`, 'DriveReplies.Get', contentScopes, getReply),
  route('POST', `${file}/comments/{commentId}/replies`, 'DriveReplies.Create', writeScopes, createReply),
  route('GET', `${file}/revisions`, 'DriveRevisions.List', metadataScopes, listRevisions),
  route('GET', `${file}/revisions/{revisionId}`, 'DriveRevisions.Get', metadataScopes, getRevision),
  route('GET', `${v3}/changes`, 'DriveChanges.List', metadataScopes, listChanges),
  route('GET', `${v3}/changes/startPageToken`, 'DriveChanges.GetStartPageToken', metadataScopes, getStartPageToken),
  route('POST', `${upload}/files`, 'DriveFiles.Create', writeScopes, (context) => uploadFile(context, undefined)),
  route('PATCH', `${upload}/files/{fileId}`, 'DriveFiles.Update', writeScopes, uploadFile),
];

function route(
  verb: string,
  path: string,
  name: string,
  scopes: readonly DriveScope[],
  answer: (context: DriveContext, ...parts: any[]) => VendorReply,
): Route {
  return { verb, path, name, scopes, answer };
}

const patterns = routes.map((one) => ({
  one,
  pattern: new RegExp(`^${one.path.replace(/\{\w+\}/g, '([^/]+)')}$`),
}));

/** Finds the method for a request and its path parameters. */
export function matchRoute(verb: string, path: string): { route: Route; parts: string[] } | undefined {
  for (const { one, pattern } of patterns) {
    const match = one.verb === verb ? pattern.exec(path) : null;
    if (match) return { route: one, parts: match.slice(1).map(decodeSegment) };
  }
  return undefined;
}

/** Downloads need more than metadata scopes. */
export function requiredScopes({ scopes, name }: Route, search: URLSearchParams): readonly DriveScope[] {
  return (name === 'DriveFiles.Get' || name === 'DriveRevisions.Get') && search.get('alt') === 'media'
    ? contentScopes
    : scopes;
}

function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
