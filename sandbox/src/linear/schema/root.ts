/** Types that are listed in pages. */
const listed = [
  'Attachment',
  'Comment',
  'Cycle',
  'Issue',
  'IssueLabel',
  'IssueRelation',
  'Project',
  'ProjectLabel',
  'ProjectMilestone',
  'ProjectStatus',
  'Team',
  'User',
  'WorkflowState',
];

/** Types without emulated content. */
const opaque = [
  'AgentSession',
  'Document',
  'ExternalUser',
  'Favorite',
  'Initiative',
  'InitiativeUpdate',
  'Integration',
  'IntegrationsSettings',
  'ProjectUpdate',
  'Template',
  'TriageResponsibility',
];

function pageTypes(node: string): string {
  return `
    type ${node}Connection { edges: [${node}Edge!]! nodes: [${node}!]! pageInfo: PageInfo! }
    type ${node}Edge { cursor: String! node: ${node}! }
  `;
}

/** Root fields, paging and scalars from Linear's schema. */
export const rootTypes = /* GraphQL */ `
  scalar DateTime

  scalar DateTimeOrDuration

  scalar JSONObject

  type DeletePayload {
    entityId: String!
    lastSyncId: Float!
    success: Boolean!
  }

  type Mutation {
    commentCreate(input: CommentCreateInput!): CommentPayload!
    commentDelete(id: String!): DeletePayload!
    commentUpdate(id: String!, input: CommentUpdateInput!, skipEditedAt: Boolean): CommentPayload!
    issueArchive(id: String!, trash: Boolean): IssueArchivePayload!
    issueCreate(input: IssueCreateInput!): IssuePayload!
    issueDelete(id: String!, permanentlyDelete: Boolean): IssueArchivePayload!
    issueUnarchive(id: String!): IssueArchivePayload!
    issueUpdate(id: String!, input: IssueUpdateInput!): IssuePayload!
    projectCreate(input: ProjectCreateInput!, slackChannelName: String): ProjectPayload!
    projectUpdate(id: String!, input: ProjectUpdateInput!): ProjectPayload!
  }

  type PageInfo {
    endCursor: String
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
  }

  enum PaginationOrderBy {
    createdAt
    updatedAt
  }

  type Query {
    attachments(after: String, before: String, filter: AttachmentFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): AttachmentConnection!
    comment(hash: String, id: String): Comment!
    comments(after: String, before: String, filter: CommentFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): CommentConnection!
    cycles(after: String, before: String, filter: CycleFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): CycleConnection!
    issue(id: String!): Issue!
    issueLabels(after: String, before: String, filter: IssueLabelFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): IssueLabelConnection!
    issues(after: String, before: String, filter: IssueFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy, sort: [IssueSortInput!]): IssueConnection!
    organization: Organization!
    project(id: String!): Project!
    projectMilestones(after: String, before: String, filter: ProjectMilestoneFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): ProjectMilestoneConnection!
    projectStatus(id: String!): ProjectStatus!
    projectStatuses(after: String, before: String, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): ProjectStatusConnection!
    projects(after: String, before: String, filter: ProjectFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy, sort: [ProjectSortInput!]): ProjectConnection!
    team(id: String!): Team!
    teams(after: String, before: String, filter: TeamFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): TeamConnection!
    user(id: String!): User!
    users(after: String, before: String, filter: UserFilter, first: Int, includeArchived: Boolean, includeDisabled: Boolean, last: Int, orderBy: PaginationOrderBy, sort: [UserSortInput!]): UserConnection!
    viewer: User!
    workflowState(id: String!): WorkflowState!
    workflowStates(after: String, before: String, filter: WorkflowStateFilter, first: Int, includeArchived: Boolean, last: Int, orderBy: PaginationOrderBy): WorkflowStateConnection!
  }

  scalar TimelessDate

  scalar TimelessDateOrDuration

  ${listed.map(pageTypes).join('')}

  ${opaque.map((name) => `type ${name} { id: ID! }`).join('\n')}
`;
