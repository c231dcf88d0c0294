/** Projects, their statuses and milestones from Linear's schema. */
export const projectTypes = /* GraphQL */ `
  enum DateResolutionType {
    halfYear
    month
    quarter
    year
  }

  enum Day {
    Friday
    Monday
    Saturday
    Sunday
    Thursday
    Tuesday
    Wednesday
  }

  enum FrequencyResolutionType {
    daily
    weekly
  }

  type ProjectLabel {
    archivedAt: DateTime
    color: String!
    createdAt: DateTime!
    description: String
    id: ID!
    isGroup: Boolean!
    name: String!
    updatedAt: DateTime!
  }

  type Project {
    archivedAt: DateTime
    autoArchivedAt: DateTime
    canceledAt: DateTime
    color: String!
    comments(after: String, before: String, filter: CommentFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): CommentConnection!
    completedAt: DateTime
    completedIssueCountHistory: [Float!]!
    completedScopeHistory: [Float!]!
    content: String
    contentState: String
    convertedFromIssue: Issue
    createdAt: DateTime!
    creator: User
    description: String!
    documentContent: DocumentContent
    favorite: Favorite
    frequencyResolution: FrequencyResolutionType!
    health: ProjectUpdateHealthType
    healthUpdatedAt: DateTime
    icon: String
    id: ID!
    inProgressScopeHistory: [Float!]!
    integrationsSettings: IntegrationsSettings
    issueCountHistory: [Float!]!
    issues(after: String, before: String, filter: IssueFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): IssueConnection!
    labelIds: [String!]!
    labels(after: String, before: String, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): ProjectLabelConnection!
    lastAppliedTemplate: Template
    lastUpdate: ProjectUpdate
    lead: User
    members(after: String, before: String, filter: UserFilter, first: Int, includeArchived: Boolean, includeDisabled: Boolean, last: Int, orderBy: PaginationOrderBy): UserConnection!
    microsoftTeamsChannelId: String
    name: String!
    priority: Int!
    priorityLabel: String!
    prioritySortOrder: Float!
    progress: Float!
    projectMilestones(after: String, before: String, filter: ProjectMilestoneFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): ProjectMilestoneConnection!
    projectUpdateRemindersPausedUntilAt: DateTime
    scope: Float!
    scopeHistory: [Float!]!
    slackChannelId: String
    slackIssueComments: Boolean!
    slackIssueStatuses: Boolean!
    slackNewIssue: Boolean!
    slugId: String!
    sortOrder: Float!
    startDate: TimelessDate
    startDateResolution: DateResolutionType
    startedAt: DateTime
    state: String! @deprecated(reason: "Use status.")
    status: ProjectStatus!
    syncedWith: [ExternalEntityInfo!]
    targetDate: TimelessDate
    targetDateResolution: DateResolutionType
    teams(after: String, before: String, filter: TeamFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): TeamConnection!
    trashed: Boolean
    updateReminderFrequency: Float
    updateReminderFrequencyInWeeks: Float
    updateRemindersDay: Day
    updateRemindersHour: Float
    updatedAt: DateTime!
    url: String!
  }

  input ProjectCreateInput {
    color: String
    content: String
    description: String
    icon: String
    id: String
    leadId: String
    memberIds: [String!]
    name: String!
    priority: Int
    sortOrder: Float
    startDate: TimelessDate
    startDateResolution: DateResolutionType
    statusId: String
    targetDate: TimelessDate
    targetDateResolution: DateResolutionType
    teamIds: [String!]!
  }

  type ProjectMilestone {
    archivedAt: DateTime
    createdAt: DateTime!
    description: String
    id: ID!
    name: String!
    project: Project!
    sortOrder: Float!
    targetDate: TimelessDate
    updatedAt: DateTime!
  }

  type ProjectPayload {
    lastSyncId: Float!
    project: Project
    success: Boolean!
  }

  type ProjectStatus {
    archivedAt: DateTime
    color: String!
    createdAt: DateTime!
    description: String
    id: ID!
    indefinite: Boolean!
    name: String!
    position: Float!
    team: Team
    type: ProjectStatusType!
    updatedAt: DateTime!
  }

  enum ProjectStatusType {
    backlog
    canceled
    completed
    paused
    planned
    started
  }

  enum ProjectUpdateHealthType {
    atRisk
    offTrack
    onTrack
  }

  input ProjectUpdateInput {
    canceledAt: DateTime
    color: String
    completedAt: DateTime
    content: String
    description: String
    icon: String
    leadId: String
    memberIds: [String!]
    name: String
    priority: Int
    sortOrder: Float
    startDate: TimelessDate
    startDateResolution: DateResolutionType
    statusId: String
    targetDate: TimelessDate
    targetDateResolution: DateResolutionType
    teamIds: [String!]
    trashed: Boolean
  }

  enum ProjectUpdateReminderFrequency {
    month
    never
    twoWeeks
    week
  }
`;
