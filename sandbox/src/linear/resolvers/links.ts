import type { AttachmentRow, CycleRow, IssueLabelRow, IssueRelationRow } from '../rows.js';
import { constants, type Resolvers } from './resolver.js';

/** The fields of an attachment that are not stored as such. */
export const attachmentFields: Resolvers<AttachmentRow> = {
  ...constants({ groupBySource: false, metadata: {} }),
  creator: (attachment, _, { workspace }) => workspace.users.get(attachment.creatorId),
  issue: (attachment, _, { workspace }) => workspace.issues.get(attachment.issueId),
};

/** The fields of a relation between issues that are not stored as such. */
export const issueRelationFields: Resolvers<IssueRelationRow> = {
  issue: (relation, _, { workspace }) => workspace.issues.get(relation.issueId),
  relatedIssue: (relation, _, { workspace }) => workspace.issues.get(relation.relatedIssueId),
};

/** The fields of a label that are not stored as such. */
export const issueLabelFields: Resolvers<IssueLabelRow> = {
  ...constants({ isGroup: false }),
  team: (label, _, { workspace }) => workspace.teams.get(label.teamId),
};

/** The fields of a cycle that are not stored as such. */
export const cycleFields: Resolvers<CycleRow> = {
  team: (cycle, _, { workspace }) => workspace.teams.get(cycle.teamId),
};
