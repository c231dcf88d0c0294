import * as z from 'zod';
import { entity, idParam, path } from '../../src/authoring.js';
import { masks } from './masks.js';
import {
  fields,
  fileId,
  fileIdParam,
  flag,
  getAction,
  id,
  listAction,
  pageParams,
  resourceKey,
  supportsAllDrives,
} from './operations.js';
import { Comment, Page, Permission, Reply, Revision } from './records.js';

const includeDeleted = flag('Whether to include deleted comments or replies, without content.');
const file = { fileId, resourceKey };
const fileOrDrive = { fileId: fileIdParam('The id of the file or shared drive.', { hasKey: true }), resourceKey };
const commentId = idParam('The id of the comment.', {
  find: (url) => url.searchParams.get('disco') ?? undefined,
  expected: 'an id from comments.list, or the link of the comment',
});
const useDomainAdminAccess = flag('Whether to make the request as a Workspace domain administrator.');
const example = { fileId: '1dyUEebJaFnWa3Z4n0BFMVAXQ7mfUH11g' };

/** Permissions on a file or shared drive. */
export const permissions = entity({
  description: 'Permissions on a file or shared drive.',
  actions: {
    list: listAction({
      description: 'List the permissions on a file or shared drive.',
      params: z.strictObject({
        ...fileOrDrive,
        ...pageParams(100),
        supportsAllDrives,
        useDomainAdminAccess,
      }),
      key: 'permissions',
      record: Permission,
      meta: Page,
      mask: masks.permission,
      target: ({ fileId, ...query }) => ({ path: path`/files/${fileId}/permissions`, query }),
      example,
    }),
    get: getAction({
      description: 'Get one permission.',
      params: z.strictObject({
        ...fileOrDrive,
        permissionId: id('The id of the permission.', 'an id from permissions.list'),
        supportsAllDrives,
        useDomainAdminAccess,
      }),
      record: Permission,
      mask: masks.permission,
      target: ({ fileId, permissionId, ...query }) => ({
        path: path`/files/${fileId}/permissions/${permissionId}`,
        query,
      }),
      example: { ...example, permissionId: '14036184373008939997' },
    }),
  },
});

/** Comments on files. */
export const comments = entity({
  description: 'Comments on a file.',
  actions: {
    list: listAction({
      description: 'List the comments on a file, with their replies.',
      params: z.strictObject({
        ...file,
        ...pageParams(100),
        startModifiedTime: z.iso
          .datetime({ offset: true })
          .optional()
          .describe('Only comments changed since this time; RFC 3339.'),
        includeDeleted,
        fields,
      }),
      key: 'comments',
      record: Comment,
      meta: Page,
      mask: masks.comment,
      target: ({ fileId, ...query }) => ({ path: path`/files/${fileId}/comments`, query }),
      example,
    }),
    get: getAction({
      description: 'Get one comment with its replies.',
      params: z.strictObject({ ...file, commentId, includeDeleted, fields }),
      record: Comment,
      mask: masks.comment,
      target: ({ fileId, commentId, ...query }) => ({ path: path`/files/${fileId}/comments/${commentId}`, query }),
      example: { ...example, commentId: 'AAAABzGnNoc' },
    }),
  },
});

/** Replies to comments. */
export const replies = entity({
  description: 'Replies to a comment.',
  actions: {
    list: listAction({
      description: 'List the replies to a comment.',
      params: z.strictObject({ ...file, commentId, ...pageParams(100), includeDeleted, fields }),
      key: 'replies',
      record: Reply,
      meta: Page,
      mask: masks.reply,
      target: ({ fileId, commentId, ...query }) => ({
        path: path`/files/${fileId}/comments/${commentId}/replies`,
        query,
      }),
      example: { ...example, commentId: 'AAAABzGnNoc' },
    }),
    get: getAction({
      description: 'Get one reply.',
      params: z.strictObject({
        ...file,
        commentId,
        replyId: id('The id of the reply.', 'an id from replies.list'),
        includeDeleted,
        fields,
      }),
      record: Reply,
      mask: masks.reply,
      target: ({ fileId, commentId, replyId, ...query }) => ({
        path: path`/files/${fileId}/comments/${commentId}/replies/${replyId}`,
        query,
      }),
      example: { ...example, commentId: 'AAAABzGnNoc', replyId: 'AAAABzGnNog' },
    }),
  },
});

/** Revisions of files. */
export const revisions = entity({
  description: 'File revisions; the list may be incomplete for frequently edited native documents.',
  actions: {
    list: listAction({
      description: 'List the revisions of a file.',
      params: z.strictObject({ ...file, ...pageParams(1000) }),
      key: 'revisions',
      record: Revision,
      meta: Page,
      mask: masks.revision,
      target: ({ fileId, ...query }) => ({ path: path`/files/${fileId}/revisions`, query }),
      example,
    }),
    get: getAction({
      description: 'Get one revision.',
      params: z.strictObject({ ...file, revisionId: id('The id of the revision.', 'an id from revisions.list') }),
      record: Revision,
      mask: masks.revision,
      target: ({ fileId, revisionId, ...query }) => ({ path: path`/files/${fileId}/revisions/${revisionId}`, query }),
      example: { ...example, revisionId: '17' },
    }),
  },
});
