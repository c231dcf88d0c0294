/** Issue links from Linear's schema. */
export const linkTypes = /* GraphQL */ `
  type Attachment {
    archivedAt: DateTime
    createdAt: DateTime!
    creator: User
    groupBySource: Boolean!
    id: ID!
    issue: Issue!
    metadata: JSONObject!
    source: JSONObject
    sourceType: String
    subtitle: String
    title: String!
    updatedAt: DateTime!
    url: String!
  }

  type Cycle {
    archivedAt: DateTime
    completedAt: DateTime
    createdAt: DateTime!
    description: String
    endsAt: DateTime!
    id: ID!
    name: String
    number: Float!
    startsAt: DateTime!
    team: Team!
    updatedAt: DateTime!
  }

  type IssueLabel {
    archivedAt: DateTime
    color: String!
    createdAt: DateTime!
    creator: User
    description: String
    id: ID!
    isGroup: Boolean!
    name: String!
    team: Team
    updatedAt: DateTime!
  }

  type IssueRelation {
    archivedAt: DateTime
    createdAt: DateTime!
    id: ID!
    issue: Issue!
    relatedIssue: Issue!
    type: String!
    updatedAt: DateTime!
  }
`;
