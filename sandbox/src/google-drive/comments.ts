import type { VendorReply } from '../vendor.js';
import { requireFile } from './access.js';
import { authorOf, type DriveContext, personForKey, requestTime } from './context.js';
import { apiErrors, DriveApiError } from './errors.js';
import { escapeXml } from './formats/office.js';
import { pageOf } from './pages.js';
import { booleanParameter, pageSize } from './parameters.js';
import { maskOf, resourceReply } from './reply.js';
import type { CommentRow, FileRow, ReplyRow } from './rows.js';
import { shapes } from './shapes.js';

/** comments.list */
export function listComments(context: DriveContext, fileId: string): VendorReply {
  const { search, world } = context;
  const size = pageSize(search, 100, 20);
  maskOf(context, shapes.commentList);
  const includesDeleted = booleanParameter(search, 'includeDeleted');
  const since = startOf(search);
  const file = requireCommentableFile(context, fileId);
  const rows = [...world.comments.values()]
    .filter((comment) => comment.fileId === file.id && (includesDeleted || !comment.deleted))
    .filter((comment) => Date.parse(comment.modifiedTime) >= since)
    .sort((one, other) => (one.modifiedTime > other.modifiedTime ? -1 : 1));
  const bound = ['includeDeleted', 'startModifiedTime'];
  const page = pageOf(context, {
    name: `comments ${file.id}`,
    rows,
    idOf: ({ id }) => id,
    size,
    boundParameters: bound,
  });
  return resourceReply(context, shapes.commentList, {
    kind: 'drive#commentList',
    nextPageToken: page.nextPageToken,
    comments: page.rows.map((comment) => commentView(context, comment, includesDeleted)),
  });
}

/** comments.get */
export function getComment(context: DriveContext, fileId: string, id: string): VendorReply {
  maskOf(context, shapes.comment);
  const includesDeleted = booleanParameter(context.search, 'includeDeleted');
  const comment = requireComment(context, fileId, id, includesDeleted);
  return resourceReply(context, shapes.comment, commentView(context, comment, includesDeleted));
}

/** comments.create */
export function createComment(context: DriveContext, fileId: string): VendorReply {
  maskOf(context, shapes.comment);
  const file = requireCommentableFile(context, fileId, true);
  const { content, anchor, quotedFileContent } = bodyOf(context);
  if (typeof content !== 'string' || content === '') throw missingContentError('comment');
  const quoted = (quotedFileContent as { value?: unknown } | undefined)?.value;
  const comment: CommentRow = {
    id: `AAAA${context.world.newId(8, 'B')}`,
    fileId: file.id,
    author: context.person,
    content,
    createdTime: requestTime(context),
    modifiedTime: requestTime(context),
    mentioned: [],
    replies: [],
    ...(typeof anchor === 'string' && { anchor }),
    ...(typeof quoted === 'string' && { quoted }),
  };
  context.world.comments.set(comment.id, comment);
  return resourceReply(context, shapes.comment, commentView(context, comment, false));
}

/** replies.list */
export function listReplies(context: DriveContext, fileId: string, commentId: string): VendorReply {
  const { search } = context;
  const size = pageSize(search, 100, 20);
  maskOf(context, shapes.replyList);
  const includesDeleted = booleanParameter(search, 'includeDeleted');
  const comment = requireComment(context, fileId, commentId, includesDeleted);
  const rows = comment.replies.filter((reply) => includesDeleted || !reply.deleted);
  const bound = ['includeDeleted'];
  const page = pageOf(context, {
    name: `replies ${comment.id}`,
    rows,
    idOf: ({ id }) => id,
    size,
    boundParameters: bound,
  });
  return resourceReply(context, shapes.replyList, {
    kind: 'drive#replyList',
    nextPageToken: page.nextPageToken,
    replies: page.rows.map((reply) => replyView(context, reply)),
  });
}

/** replies.get */
export function getReply(context: DriveContext, fileId: string, commentId: string, id: string): VendorReply {
  maskOf(context, shapes.reply);
  const includesDeleted = booleanParameter(context.search, 'includeDeleted');
  const comment = requireComment(context, fileId, commentId, includesDeleted);
  const reply = comment.replies.find((one) => one.id === id && (includesDeleted || !one.deleted));
  if (!reply) throw apiErrors.notFound('Reply', id, 'replyId');
  return resourceReply(context, shapes.reply, replyView(context, reply));
}

/** replies.create */
export function createReply(context: DriveContext, fileId: string, commentId: string): VendorReply {
  maskOf(context, shapes.reply);
  requireCommentableFile(context, fileId, true);
  const comment = requireComment(context, fileId, commentId, false);
  const { content = '', action } = bodyOf(context);
  if (typeof content !== 'string' || (content === '' && action === undefined)) throw missingContentError('reply');
  const time = requestTime(context);
  const reply: ReplyRow = {
    id: `AAAA${context.world.newId(8, 'R')}`,
    author: context.person,
    content,
    createdTime: time,
    modifiedTime: time,
    ...((action === 'resolve' || action === 'reopen') && { action }),
  };
  comment.replies.push(reply);
  comment.modifiedTime = time;
  return resourceReply(context, shapes.reply, replyView(context, reply));
}

/** These methods do not accept `supportsAllDrives` but still find items in shared drives. */
function requireCommentableFile(context: DriveContext, id: string, isWriting = false): FileRow {
  return requireFile(context, id, { allDrives: true, ...(isWriting && { role: 'commenter' }) });
}

function requireComment(context: DriveContext, fileId: string, id: string, includesDeleted: boolean): CommentRow {
  const file = requireCommentableFile(context, fileId);
  const comment = context.world.comments.get(id);
  if (comment?.fileId === file.id && (includesDeleted || !comment.deleted)) return comment;
  throw apiErrors.notFound('Comment', id, 'commentId');
}

function commentView(context: DriveContext, row: CommentRow, includesDeleted: boolean): Record<string, unknown> {
  const lastAction = row.replies.findLast(({ action, deleted }) => action && !deleted)?.action;
  return {
    ...replyView(context, row),
    kind: 'drive#comment',
    resolved: row.deleted || !lastAction ? undefined : lastAction === 'resolve',
    anchor: row.anchor,
    quotedFileContent:
      row.quoted === undefined || row.deleted ? undefined : { mimeType: 'text/html', value: escapeXml(row.quoted) },
    replies: row.replies.filter((reply) => includesDeleted || !reply.deleted).map((reply) => replyView(context, reply)),
  };
}

function replyView(context: DriveContext, row: ReplyRow): Record<string, unknown> {
  const { id, createdTime, modifiedTime, action, deleted = false } = row;
  return {
    kind: 'drive#reply',
    id,
    createdTime,
    modifiedTime,
    action,
    deleted,
    author: authorOf(context, row.author),
    assigneeEmailAddress: row.assignee === undefined ? undefined : personForKey(row.assignee).email,
    mentionedEmailAddresses: row.mentioned?.length ? row.mentioned.map((key) => personForKey(key).email) : undefined,
    ...(!deleted && { content: row.content, htmlContent: row.content.split('\n').map(escapeXml).join('<br>') }),
  };
}

function startOf(search: URLSearchParams): number {
  const text = search.get('startModifiedTime');
  const time = text === null ? 0 : Date.parse(text);
  if (Number.isNaN(time)) throw apiErrors.invalid('startModifiedTime');
  return time;
}

function bodyOf({ request }: DriveContext): Record<string, unknown> {
  try {
    return JSON.parse(request.body) as Record<string, unknown>;
  } catch {
    throw new DriveApiError(400, 'parseError', 'Parse Error');
  }
}

function missingContentError(of: string): DriveApiError {
  return new DriveApiError(400, 'required', 'Required', { location: `${of}.content`, locationType: 'other' });
}
