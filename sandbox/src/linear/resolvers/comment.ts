import type { CommentRow } from '../rows.js';
import { issueAddress } from './issue.js';
import { projectAddress } from './project.js';
import { constants, listOf, type Resolvers, webAddress } from './resolver.js';

/** Computed fields of a comment. */
export const commentFields: Resolvers<CommentRow> = {
  ...constants({ reactionData: {}, reactions: [] }),
  bodyData: (comment) =>
    JSON.stringify({ type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: comment.body }] }] }),
  user: (comment, _, { workspace }) => workspace.users.get(comment.userId),
  issue: (comment, _, { workspace }) => workspace.issues.get(comment.issueId),
  project: (comment, _, { workspace }) => workspace.projects.get(comment.projectId),
  parent: (comment, _, { workspace }) => workspace.comments.get(comment.parentId),
  resolvingUser: (comment, _, { workspace }) => workspace.users.get(comment.resolvingUserId),
  resolvingComment: (comment, _, { workspace }) => workspace.comments.get(comment.resolvingCommentId),
  url: (comment, _, { workspace }) => {
    const issue = workspace.issues.get(comment.issueId);
    const project = workspace.projects.get(comment.projectId);
    const page = issue ? issueAddress(workspace, issue) : project ? projectAddress(project) : webAddress;
    return `${page}#comment-${comment.id.slice(0, 8)}`;
  },
  children: listOf('Comment.children', 'Comment', (comment: CommentRow, { workspace }) =>
    workspace.comments.where('parentId', comment.id),
  ),
};
