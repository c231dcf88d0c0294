import type { AttachmentRow, CycleRow, IssueLabelRow, IssueRelationRow } from '../rows.js';
import { constants, type Resolvers } from './resolver.js';

/** Computed fields of an attachment. */
export const attachmentFields: Resolvers<AttachmentRow> = {
  ...constants({ groupBySource: false, metadata: {} }),
  creator: (attachment, _, { workspace }) => workspace.users.get(attachment.creatorId),
  issue: (attachment, _, { workspace }) => workspace.issues.get(attachment.issueId),
};

/** Computed fields of an issue relation. */
export const issueRelationFields: Resolvers<IssueRelationRow> = {
  issue: (relation, _, { workspace }) => workspace.issues.get(relation.issueId),
  relatedIssue: (relation, _, { workspace }) => workspace.issues.get(relation.relatedIssueId),
};

/** Computed fields of a label. */
export const issueLabelFields: Resolvers<IssueLabelRow> = {
  ...constants({ isGroup: false }),
  team: (label, _, { workspace }) => workspace.teams.get(label.teamId),
};

/** Computed fields of a cycle. */
export const cycleFields: Resolvers<CycleRow> = {
  team: (cycle, _, { workspace }) => workspace.teams.get(cycle.teamId),
};
