/** Teams and workflow states from Linear's schema. */
export const teamTypes = /* GraphQL */ `
  type Team {
    activeCycle: Cycle
    aiDiscussionSummariesEnabled: Boolean!
    aiThreadSummariesEnabled: Boolean!
    allMembersCanJoin: Boolean
    archivedAt: DateTime
    autoArchivePeriod: Float!
    autoCloseChildIssues: Boolean
    autoCloseParentIssues: Boolean
    autoClosePeriod: Float
    autoCloseStateId: String
    color: String
    createdAt: DateTime!
    cycleCalenderUrl: String!
    cycleCooldownTime: Float!
    cycleDuration: Float!
    cycleIssueAutoAssignCompleted: Boolean!
    cycleIssueAutoAssignStarted: Boolean!
    cycleLockToActive: Boolean!
    cycleStartDay: Float!
    cyclesEnabled: Boolean!
    defaultIssueEstimate: Float!
    defaultIssueState: WorkflowState
    defaultProjectTemplate: Template
    defaultTemplateForMembers: Template
    defaultTemplateForMembersId: String
    defaultTemplateForNonMembers: Template
    defaultTemplateForNonMembersId: String
    description: String
    displayName: String!
    draftWorkflowState: WorkflowState
    groupIssueHistory: Boolean!
    icon: String
    id: ID!
    inheritIssueEstimation: Boolean!
    inheritWorkflowStatuses: Boolean!
    integrationsSettings: IntegrationsSettings
    inviteHash: String! @deprecated(reason: "Always empty.")
    issueCount(includeArchived: Boolean = false): Int!
    issueEstimationAllowZero: Boolean!
    issueEstimationExtended: Boolean!
    issueEstimationType: String!
    issueOrderingNoPriorityFirst: Boolean!
    issueSortOrderDefaultToBottom: Boolean!
    issues(after: String, before: String, filter: IssueFilter, first: Int, includeArchived: Boolean, includeSubTeams: Boolean = false, last: Int, orderBy: PaginationOrderBy): IssueConnection!
    key: String!
    ledInitiativeCount: Int!
    markedAsDuplicateWorkflowState: WorkflowState @deprecated
    members(after: String, before: String, filter: UserFilter, first: Int, includeArchived: Boolean, includeDisabled: Boolean, last: Int, orderBy: PaginationOrderBy, sort: [UserSortInput!]): UserConnection!
    mergeWorkflowState: WorkflowState
    mergeableWorkflowState: WorkflowState
    name: String!
    parent: Team
    private: Boolean! @deprecated(reason: "Use visibility.")
    projects(after: String, before: String, filter: ProjectFilter, first: Int, includeArchived: Boolean, includeSubTeams: Boolean = false, last: Int, orderBy: PaginationOrderBy, sort: [ProjectSortInput!]): ProjectConnection!
    requirePriorityToLeaveTriage: Boolean!
    retiredAt: DateTime
    reviewWorkflowState: WorkflowState
    scimGroupName: String
    scimManaged: Boolean!
    securitySettings: JSONObject!
    setIssueSortOrderOnStateChange: String!
    slackIssueComments: Boolean!
    slackIssueStatuses: Boolean!
    slackNewIssue: Boolean!
    startWorkflowState: WorkflowState
    states(after: String, before: String, filter: WorkflowStateFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): WorkflowStateConnection!
    timezone: String!
    triageEnabled: Boolean!
    triageIssueState: WorkflowState
    triageResponsibility: TriageResponsibility
    upcomingCycleCount: Float!
    updatedAt: DateTime!
    visibility: TeamVisibility!
  }

  enum TeamVisibility {
    private
    public
    restricted
  }

  type WorkflowState {
    archivedAt: DateTime
    color: String!
    createdAt: DateTime!
    description: String
    id: ID!
    inheritedFrom: WorkflowState
    issues(after: String, before: String, filter: IssueFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): IssueConnection!
    name: String!
    position: Float!
    team: Team!
    type: String!
    updatedAt: DateTime!
  }
`;
