import type { AttachmentRow, CommentRow, IssueLabelRow, IssueRelationRow, IssueRow, UserRow } from '../rows.js';
import type { Workspace } from '../state.js';
import { constants, editorState, listOf, priorityLabels, type Resolvers, slugOf, webAddress } from './resolver.js';

/** An identifier such as `ENG-123`. */
export function identifierOf(workspace: Workspace, issue: IssueRow): string {
  return `${workspace.teams.get(issue.teamId)?.key}-${issue.number}`;
}

/** URL of an issue. */
export function issueAddress(workspace: Workspace, issue: IssueRow): string {
  return `${webAddress}/issue/${identifierOf(workspace, issue)}/${slugOf(issue.title)}`;
}

/** Computed fields of an issue. */
export const issueFields: Resolvers<IssueRow> = {
  ...constants({
    boardOrder: 0,
    customerTicketCount: 0,
    inheritsSharedAccess: false,
    reactionData: {},
    reactions: [],
    sharedAccess: {
      disallowedIssueFields: [],
      isShared: false,
      sharedWithCount: 0,
      sharedWithUsers: [],
      viewerHasOnlySharedAccess: false,
    },
    slaType: 'all',
  }),
  assignee: (issue, _, { workspace }) => workspace.users.get(issue.assigneeId),
  creator: (issue, _, { workspace }) => workspace.users.get(issue.creatorId),
  snoozedBy: (issue, _, { workspace }) => workspace.users.get(issue.snoozedById),
  state: (issue, _, { workspace }) => workspace.workflowStates.get(issue.stateId),
  team: (issue, _, { workspace }) => workspace.teams.get(issue.teamId),
  project: (issue, _, { workspace }) => workspace.projects.get(issue.projectId),
  projectMilestone: (issue, _, { workspace }) => workspace.projectMilestones.get(issue.projectMilestoneId),
  parent: (issue, _, { workspace }) => workspace.issues.get(issue.parentId),
  cycle: (issue, _, { workspace }) => workspace.cycles.get(issue.cycleId),
  sourceComment: (issue, _, { workspace }) => workspace.comments.get(issue.sourceCommentId),
  descriptionState: (issue) => editorState(issue.description),
  identifier: (issue, _, { workspace }) => identifierOf(workspace, issue),
  url: (issue, _, { workspace }) => issueAddress(workspace, issue),
  branchName: (issue, _, { workspace, viewer }) =>
    `${viewer.displayName}/${identifierOf(workspace, issue).toLowerCase()}-${slugOf(issue.title)}`,
  priorityLabel: (issue) => priorityLabels[issue.priority],
  prioritySortOrder: (issue) => issue.sortOrder,
  addedToTeamAt: (issue) => issue.createdAt,
  addedToProjectAt: (issue) => (issue.projectId ? issue.createdAt : null),
  comments: listOf('Issue.comments', 'Comment', (issue: IssueRow, { workspace }): readonly CommentRow[] =>
    workspace.comments.where('issueId', issue.id),
  ),
  attachments: listOf('Issue.attachments', 'Attachment', (issue: IssueRow, { workspace }): readonly AttachmentRow[] =>
    workspace.attachments.where('issueId', issue.id),
  ),
  relations: listOf('Issue.relations', 'IssueRelation', (issue: IssueRow, { workspace }): readonly IssueRelationRow[] =>
    workspace.issueRelations.where('issueId', issue.id),
  ),
  inverseRelations: listOf('Issue.inverseRelations', 'IssueRelation', (issue: IssueRow, { workspace }) =>
    workspace.issueRelations.where('relatedIssueId', issue.id),
  ),
  labels: listOf('Issue.labels', 'IssueLabel', (issue: IssueRow, { workspace }): readonly IssueLabelRow[] =>
    workspace.issueLabels.all().filter((label) => issue.labelIds.includes(label.id)),
  ),
  subscribers: listOf('Issue.subscribers', 'User', (issue: IssueRow, { workspace }): readonly UserRow[] =>
    workspace.users.all().filter((user) => issue.subscriberIds.includes(user.id)),
  ),
  children: listOf('Issue.children', 'Issue', (issue: IssueRow, { workspace }): readonly IssueRow[] =>
    workspace.issues.where('parentId', issue.id),
  ),
};
