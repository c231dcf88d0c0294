/** Comments and related types from Linear's schema. */
export const commentTypes = /* GraphQL */ `
  type ActorBot {
    avatarUrl: String
    id: ID
    name: String
    subType: String
    type: String!
    userDisplayName: String
  }

  type AiPromptRules {
    archivedAt: DateTime
    createdAt: DateTime!
    id: ID!
    updatedAt: DateTime!
    updatedBy: User
  }

  type Comment {
    agentSession: AgentSession
    archivedAt: DateTime
    body: String!
    bodyData: String!
    botActor: ActorBot
    children(after: String, before: String, filter: CommentFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): CommentConnection!
    createdAt: DateTime!
    documentContent: DocumentContent
    documentContentId: String
    editedAt: DateTime
    externalThread: SyncedExternalThread
    externalUser: ExternalUser
    id: ID!
    initiative: Initiative
    initiativeId: String
    initiativeUpdate: InitiativeUpdate
    initiativeUpdateId: String
    issue: Issue
    issueId: String
    parent: Comment
    parentId: String
    project: Project
    projectId: String
    projectUpdate: ProjectUpdate
    projectUpdateId: String
    quotedText: String
    reactionData: JSONObject!
    reactions: [Reaction!]!
    resolvedAt: DateTime
    resolvingComment: Comment
    resolvingCommentId: String
    resolvingUser: User
    syncedWith: [ExternalEntityInfo!]
    updatedAt: DateTime!
    url: String!
    user: User
  }

  input CommentCreateInput {
    body: String
    createAsUser: String
    createdAt: DateTime
    displayIconUrl: String
    doNotSubscribeToIssue: Boolean
    id: String
    issueId: String
    parentId: String
    projectId: String
    quotedText: String
  }

  type CommentPayload {
    comment: Comment!
    lastSyncId: Float!
    success: Boolean!
  }

  input CommentUpdateInput {
    body: String
    doNotSubscribeToIssue: Boolean
    quotedText: String
    resolvingCommentId: String
    resolvingUserId: String
  }

  type DocumentContent {
    aiPromptRules: AiPromptRules
    archivedAt: DateTime
    content: String
    contentState: String
    createdAt: DateTime!
    document: Document
    id: ID!
    initiative: Initiative
    issue: Issue
    project: Project
    projectMilestone: ProjectMilestone
    restoredAt: DateTime
    updatedAt: DateTime!
    welcomeMessage: WelcomeMessage
  }

  type ExternalEntityInfo {
    id: String!
    metadata: ExternalEntityInfoMetadata
    service: ExternalSyncService!
  }

  type ExternalEntityInfoGithubMetadata {
    number: Float
    owner: String
    repo: String
  }

  type ExternalEntityInfoJiraMetadata {
    issueKey: String
    issueTypeId: String
    projectId: String
  }

  union ExternalEntityInfoMetadata = ExternalEntityInfoGithubMetadata | ExternalEntityInfoJiraMetadata | ExternalEntitySlackMetadata

  type ExternalEntitySlackMetadata {
    channelId: String
    channelName: String
    isFromSlack: Boolean!
    messageUrl: String
  }

  enum ExternalSyncService {
    github
    jira
    slack
  }

  enum IntegrationService {
    github
    googleSheets
    jira
    slack
  }

  type Reaction {
    archivedAt: DateTime
    comment: Comment
    createdAt: DateTime!
    emoji: String!
    externalUser: ExternalUser
    id: ID!
    initiativeUpdate: InitiativeUpdate
    issue: Issue
    projectUpdate: ProjectUpdate
    updatedAt: DateTime!
    user: User
  }

  type SyncedExternalThread {
    displayName: String
    id: ID
    isConnected: Boolean!
    isPersonalIntegrationConnected: Boolean!
    isPersonalIntegrationRequired: Boolean!
    name: String
    subType: String
    type: String!
    url: String
  }

  type WelcomeMessage {
    archivedAt: DateTime
    createdAt: DateTime!
    enabled: Boolean!
    id: ID!
    title: String
    updatedAt: DateTime!
    updatedBy: User
  }
`;
