import { type LinearContext, requireIssue, requireVisible } from '../context.js';
import { isoOf, payload, requireWrite, update } from '../mutate.js';
import type { IssueRow } from '../rows.js';
import type { Resolvers } from './resolver.js';

interface ById {
  id: string;
}

/** Root fields that archive and delete. */
export const removals: Resolvers = {
  issueArchive: (_, { id, trash }: ById & { trash?: boolean | null }, context) =>
    archive(context, id, { archivedAt: isoOf(context.now), ...(trash && { trashed: true }) }),

  issueUnarchive: (_, { id }: ById, context) => archive(context, id, { archivedAt: null, trashed: null }),

  issueDelete(_, { id, permanentlyDelete }: ById & { permanentlyDelete?: boolean | null }, context) {
    if (!permanentlyDelete) return archive(context, id, { archivedAt: isoOf(context.now), trashed: true });
    requireWrite(context);
    const issue = requireIssue(context, id);
    const answer = payload(context);
    if (answer.success) erase(context, issue);
    return { ...answer, entity: null };
  },

  commentDelete(_, { id }: ById, context) {
    requireWrite(context);
    const { comments } = context.workspace;
    const comment = requireVisible(context, 'Comment', comments.get(id));
    const answer = payload(context);
    if (answer.success) comments.remove(comment);
    return { ...answer, entityId: id };
  },
};

function archive(context: LinearContext, id: string, changes: Partial<IssueRow>) {
  requireWrite(context);
  const issue = requireIssue(context, id);
  const answer = payload(context);
  return { ...answer, entity: answer.success ? update(context, context.workspace.issues, issue, changes) : null };
}

function erase({ workspace }: LinearContext, issue: IssueRow): void {
  workspace.issues.remove(issue);
  const { comments, attachments, issueRelations } = workspace;
  for (const comment of [...comments.where('issueId', issue.id)]) comments.remove(comment);
  for (const attachment of [...attachments.where('issueId', issue.id)]) attachments.remove(attachment);
  for (const relation of issueRelations
    .all()
    .filter((one) => one.issueId === issue.id || one.relatedIssueId === issue.id)) {
    issueRelations.remove(relation);
  }
}
