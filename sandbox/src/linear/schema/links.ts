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

  type AttachmentConnection {
    edges: [AttachmentEdge!]!
    nodes: [Attachment!]!
    pageInfo: PageInfo!
  }

  type AttachmentEdge {
    cursor: String!
    node: Attachment!
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

  type IssueLabelConnection {
    edges: [IssueLabelEdge!]!
    nodes: [IssueLabel!]!
    pageInfo: PageInfo!
  }

  type IssueLabelEdge {
    cursor: String!
    node: IssueLabel!
  }

  input IssueLabelCollectionFilter {
    and: [IssueLabelCollectionFilter!]
    every: IssueLabelFilter
    id: IDComparator
    name: StringComparator
    null: Boolean
    or: [IssueLabelCollectionFilter!]
    some: IssueLabelFilter
  }

  input IssueLabelFilter {
    and: [IssueLabelFilter!]
    id: IDComparator
    name: StringComparator
    or: [IssueLabelFilter!]
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

  type IssueRelationConnection {
    edges: [IssueRelationEdge!]!
    nodes: [IssueRelation!]!
    pageInfo: PageInfo!
  }

  type IssueRelationEdge {
    cursor: String!
    node: IssueRelation!
  }
`;
