/** Fields common to all rows. */
export interface Row {
  id: string;
  createdAt: string;
  updatedAt: string;
  archivedAt: string | null;
}

export interface UserRow extends Row {
  name: string;
  displayName: string;
  email: string;
  title: string | null;
  timezone: string;
  active: boolean;
  admin: boolean;
  owner: boolean;
  lastSeen: string | null;
  avatarUrl: string | null;
  disableReason: string | null;
  teamIds: string[];
}

export interface TeamRow extends Row {
  name: string;
  key: string;
  description: string | null;
  timezone: string;
  color: string;
  icon: string;
  parentId: string | null;
  autoClosePeriod: number | null;
  autoCloseStateId: string | null;
  /** Number of the newest issue. */
  lastNumber: number;
}

export interface WorkflowStateRow extends Row {
  teamId: string;
  inheritedFromId: string | null;
  name: string;
  type: string;
  position: number;
  color: string;
  description: string | null;
}

export interface ProjectStatusRow extends Row {
  name: string;
  type: string;
  position: number;
  color: string;
  description: string | null;
  indefinite: boolean;
  /** The team that it belongs to; undefined for a status of the workspace. */
  teamId?: string;
}

export interface ProjectRow extends Row {
  name: string;
  slugId: string;
  description: string;
  content: string | null;
  icon: string | null;
  color: string;
  statusId: string;
  leadId: string | null;
  creatorId: string | null;
  teamIds: string[];
  memberIds: string[];
  priority: number;
  sortOrder: number;
  startDate: string | null;
  startDateResolution: string | null;
  targetDate: string | null;
  targetDateResolution: string | null;
  startedAt: string | null;
  completedAt: string | null;
  canceledAt: string | null;
  health: string | null;
  healthUpdatedAt: string | null;
  convertedFromIssueId: string | null;
  updateRemindersDay: string | null;
  updateRemindersHour: number | null;
  trashed: boolean | null;
}

export interface ProjectMilestoneRow extends Row {
  projectId: string;
  name: string;
  description: string | null;
  targetDate: string | null;
  sortOrder: number;
}

export interface IssueRow extends Row {
  number: number;
  title: string;
  description: string | null;
  priority: number;
  estimate: number | null;
  sortOrder: number;
  teamId: string;
  stateId: string;
  assigneeId: string | null;
  creatorId: string | null;
  projectId: string | null;
  projectMilestoneId: string | null;
  parentId: string | null;
  dueDate: string | null;
  startedAt: string | null;
  completedAt: string | null;
  canceledAt: string | null;
  snoozedUntilAt: string | null;
  snoozedById: string | null;
  cycleId: string | null;
  addedToCycleAt: string | null;
  labelIds: string[];
  subscriberIds: string[];
  sourceCommentId: string | null;
  integrationSourceType: string | null;
  subIssueSortOrder: number | null;
  previousIdentifiers: string[];
  trashed: boolean | null;
  botActor: BotActor | null;
}

export interface AttachmentRow extends Row {
  issueId: string;
  title: string;
  subtitle: string | null;
  url: string;
  sourceType: string | null;
  creatorId: string | null;
}

export interface IssueRelationRow extends Row {
  issueId: string;
  relatedIssueId: string;
  type: string;
}

export interface IssueLabelRow extends Row {
  name: string;
  color: string;
  description: string | null;
  /** null for workspace labels. */
  teamId: string | null;
}

export interface CycleRow extends Row {
  teamId: string;
  number: number;
  name: string | null;
  startsAt: string;
  endsAt: string;
}

export interface CommentRow extends Row {
  body: string;
  issueId: string | null;
  projectId: string | null;
  parentId: string | null;
  userId: string | null;
  botActor: BotActor | null;
  editedAt: string | null;
  resolvedAt: string | null;
  resolvingUserId: string | null;
  resolvingCommentId: string | null;
  quotedText: string | null;
}

/** An integration that acts instead of a user. */
export interface BotActor {
  id: string;
  type: string;
  subType: string | null;
  name: string;
  userDisplayName: string | null;
  avatarUrl: string | null;
}
