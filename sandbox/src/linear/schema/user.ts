/** Users and the organization from Linear's schema. */
export const userTypes = /* GraphQL */ `
  type Organization {
    archivedAt: DateTime
    createdAt: DateTime!
    createdIssueCount: Int!
    id: ID!
    logoUrl: String
    name: String!
    updatedAt: DateTime!
    urlKey: String!
    userCount: Int!
  }

  type User {
    active: Boolean!
    admin: Boolean!
    app: Boolean!
    archivedAt: DateTime
    assignedIssues(after: String, before: String, filter: IssueFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): IssueConnection!
    avatarBackgroundColor: String!
    avatarUrl: String
    calendarHash: String
    canAccessAnyPublicTeam: Boolean!
    createdAt: DateTime!
    createdIssueCount: Int!
    createdIssues(after: String, before: String, filter: IssueFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): IssueConnection!
    description: String
    disableReason: String
    displayName: String!
    email: String!
    gitHubUserId: String
    guest: Boolean!
    id: ID!
    initials: String!
    inviteHash: String! @deprecated(reason: "Always empty.")
    isAssignable: Boolean!
    isMe: Boolean!
    isMentionable: Boolean!
    lastSeen: DateTime
    name: String!
    owner: Boolean!
    statusEmoji: String
    statusLabel: String
    statusUntilAt: DateTime
    supportsAgentSessions: Boolean!
    teams(after: String, before: String, filter: TeamFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): TeamConnection!
    timezone: String
    title: String
    updatedAt: DateTime!
    url: String!
  }
`;
