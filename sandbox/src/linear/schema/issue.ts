/** Issues with their inputs and payload from Linear's schema. */
export const issueTypes = /* GraphQL */ `
  type Issue {
    addedToCycleAt: DateTime
    addedToProjectAt: DateTime
    addedToTeamAt: DateTime
    archivedAt: DateTime
    asksExternalUserRequester: ExternalUser
    asksRequester: User
    assignee: User
    attachments(after: String, before: String, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): AttachmentConnection!
    autoArchivedAt: DateTime
    autoClosedAt: DateTime
    boardOrder: Float!
    botActor: ActorBot
    branchName: String!
    canceledAt: DateTime
    children(after: String, before: String, filter: IssueFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): IssueConnection!
    comments(after: String, before: String, filter: CommentFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): CommentConnection!
    completedAt: DateTime
    createdAt: DateTime!
    creator: User
    customerTicketCount: Int!
    cycle: Cycle
    delegate: User
    description: String
    descriptionState: String
    dueDate: TimelessDate
    estimate: Float
    externalUserCreator: ExternalUser
    favorite: Favorite
    id: ID!
    identifier: String!
    inheritsSharedAccess: Boolean!
    integrationSourceType: IntegrationService
    inverseRelations(after: String, before: String, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): IssueRelationConnection!
    labelIds: [String!]!
    labels(after: String, before: String, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): IssueLabelConnection!
    lastAppliedTemplate: Template
    number: Float!
    parent: Issue
    previousIdentifiers: [String!]!
    priority: Float!
    priorityLabel: String!
    prioritySortOrder: Float!
    project: Project
    projectMilestone: ProjectMilestone
    reactionData: JSONObject!
    reactions: [Reaction!]!
    recurringIssueTemplate: Template
    relations(after: String, before: String, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): IssueRelationConnection!
    sharedAccess: IssueSharedAccess!
    slaBreachesAt: DateTime
    slaHighRiskAt: DateTime
    slaMediumRiskAt: DateTime
    slaStartedAt: DateTime
    slaType: String
    snoozedBy: User
    snoozedUntilAt: DateTime
    sortOrder: Float!
    sourceComment: Comment
    startedAt: DateTime
    startedTriageAt: DateTime
    state: WorkflowState!
    subIssueSortOrder: Float
    subscribers(after: String, before: String, filter: UserFilter, first: Int, includeArchived: Boolean, includeDisabled: Boolean, last: Int, orderBy: PaginationOrderBy): UserConnection!
    syncedWith: [ExternalEntityInfo!]
    team: Team!
    title: String!
    trashed: Boolean
    triagedAt: DateTime
    updatedAt: DateTime!
    url: String!
  }

  type IssueArchivePayload {
    entity: Issue
    lastSyncId: Float!
    success: Boolean!
  }

  input IssueCreateInput {
    assigneeId: String
    completedAt: DateTime
    createAsUser: String
    createdAt: DateTime
    description: String
    displayIconUrl: String
    dueDate: TimelessDate
    estimate: Int
    id: String
    labelIds: [String!]
    parentId: String
    priority: Int
    projectId: String
    projectMilestoneId: String
    sortOrder: Float
    stateId: String
    subscriberIds: [String!]
    teamId: String!
    title: String
  }

  type IssuePayload {
    issue: Issue
    lastSyncId: Float!
    success: Boolean!
  }

  type IssueSharedAccess {
    disallowedIssueFields: [IssueSharedAccessDisallowedField!]!
    isShared: Boolean!
    sharedWithCount: Int!
    sharedWithUsers: [User!]!
    viewerHasOnlySharedAccess: Boolean!
  }

  enum IssueSharedAccessDisallowedField {
    cycleId
    projectId
    projectMilestoneId
    teamId
  }

  input IssueUpdateInput {
    assigneeId: String
    description: String
    dueDate: TimelessDate
    estimate: Int
    labelIds: [String!]
    parentId: String
    priority: Int
    projectId: String
    projectMilestoneId: String
    snoozedById: String
    snoozedUntilAt: DateTime
    sortOrder: Float
    stateId: String
    subscriberIds: [String!]
    teamId: String
    title: String
    trashed: Boolean
  }

  enum SLADayCountType {
    all
    onlyBusinessDays
  }
`;
