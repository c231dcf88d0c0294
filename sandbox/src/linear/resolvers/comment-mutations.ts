import { requireIssue, requireProject, requireVisible } from '../context.js';
import { inputError, quotaExceeded } from '../errors.js';
import {
  type Input,
  InputValidator,
  isoOf,
  namedActor,
  newId,
  payload,
  requireWrite,
  store,
  update,
} from '../mutate.js';
import type { CommentRow } from '../rows.js';
import type { Resolvers } from './resolver.js';

/** Root fields that write comments. */
export const commentMutations: Resolvers = {
  commentCreate(_, { input }: { input: Input }, context) {
    requireWrite(context);
    new InputValidator().uuid(input, 'id', 'parentId', 'projectId').notEmpty(input, 'body', true).throwIfFailed();
    const { workspace, viewer, now, limits } = context;
    const parent = input.parentId && requireVisible(context, 'Comment', workspace.comments.get(input.parentId));
    const issue = input.issueId ? requireIssue(context, input.issueId) : workspace.issues.get(parent?.issueId);
    const project = input.projectId
      ? requireProject(context, input.projectId)
      : workspace.projects.get(parent?.projectId);
    if (!issue && !project) throw inputError('A comment needs an issueId or a projectId');
    const most = limits.commentsPerIssue ?? 2_000;
    if (issue && workspace.comments.where('issueId', issue.id).length >= most) {
      throw quotaExceeded(
        'max-comments-per-issue',
        `An issue can have a maximum of ${most} comments. This quota is enforced to keep the workspace performant.`,
      );
    }
    const id = newId(context, workspace.comments, 'Comment', input.id);
    const row: CommentRow = {
      id,
      createdAt: isoOf(input.createdAt ? Date.parse(input.createdAt) : now),
      updatedAt: isoOf(now),
      archivedAt: null,
      body: input.body,
      issueId: issue?.id ?? null,
      projectId: issue ? null : (project?.id ?? null),
      parentId: parent?.id ?? null,
      userId: input.createAsUser ? null : viewer.id,
      botActor: namedActor(input, id),
      editedAt: null,
      resolvedAt: null,
      resolvingUserId: null,
      resolvingCommentId: null,
      quotedText: input.quotedText ?? null,
    };
    return { ...payload(context), comment: store(context, workspace.comments, row) };
  },

  commentUpdate(_, { id, input, skipEditedAt }: { id: string; input: Input; skipEditedAt?: boolean }, context) {
    requireWrite(context);
    const { workspace, now } = context;
    const comment = requireVisible(context, 'Comment', workspace.comments.get(id));
    new InputValidator().uuid(input, 'resolvingCommentId', 'resolvingUserId').notEmpty(input, 'body').throwIfFailed();
    const changes: Partial<CommentRow> = {};
    if (input.body !== undefined) {
      changes.body = input.body;
      if (!skipEditedAt) changes.editedAt = isoOf(now);
    }
    if (input.quotedText !== undefined) changes.quotedText = input.quotedText;
    for (const name of ['resolvingUserId', 'resolvingCommentId'] as const) {
      if (input[name] === undefined) continue;
      changes[name] = input[name];
      changes.resolvedAt = input[name] === null ? null : isoOf(now);
    }
    return { ...payload(context), comment: update(context, workspace.comments, comment, changes) };
  },
};
