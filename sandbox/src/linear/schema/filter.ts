/** Filter inputs and comparators from Linear's schema. */
export const filterTypes = /* GraphQL */ `
  input BooleanComparator {
    eq: Boolean
    neq: Boolean
  }

  input CommentFilter {
    and: [CommentFilter!]
    body: StringComparator
    createdAt: DateComparator
    id: IDComparator
    issue: NullableIssueFilter
    or: [CommentFilter!]
    parent: NullableCommentFilter
    project: NullableProjectFilter
    updatedAt: DateComparator
    user: UserFilter
  }

  input DateComparator {
    eq: DateTimeOrDuration
    gt: DateTimeOrDuration
    gte: DateTimeOrDuration
    in: [DateTimeOrDuration!]
    lt: DateTimeOrDuration
    lte: DateTimeOrDuration
    neq: DateTimeOrDuration
    nin: [DateTimeOrDuration!]
  }

  input IDComparator {
    eq: ID
    in: [ID!]
    neq: ID
    nin: [ID!]
  }

  input IssueFilter {
    and: [IssueFilter!]
    archivedAt: NullableDateComparator
    assignee: NullableUserFilter
    canceledAt: NullableDateComparator
    completedAt: NullableDateComparator
    createdAt: DateComparator
    creator: NullableUserFilter
    description: NullableStringComparator
    dueDate: NullableTimelessDateComparator
    estimate: EstimateComparator
    id: IssueIDComparator
    labels: IssueLabelCollectionFilter
    number: NumberComparator
    or: [IssueFilter!]
    parent: NullableIssueFilter
    priority: NullableNumberComparator
    project: NullableProjectFilter
    startedAt: NullableDateComparator
    state: WorkflowStateFilter
    team: TeamFilter
    title: StringComparator
    updatedAt: DateComparator
  }

  input IssueIDComparator {
    eq: ID
    in: [ID!]
    neq: ID
    nin: [ID!]
  }

  input NullableCommentFilter {
    and: [NullableCommentFilter!]
    body: StringComparator
    createdAt: DateComparator
    id: IDComparator
    null: Boolean
    or: [NullableCommentFilter!]
    updatedAt: DateComparator
  }

  input NullableDateComparator {
    eq: DateTimeOrDuration
    gt: DateTimeOrDuration
    gte: DateTimeOrDuration
    in: [DateTimeOrDuration!]
    lt: DateTimeOrDuration
    lte: DateTimeOrDuration
    neq: DateTimeOrDuration
    nin: [DateTimeOrDuration!]
    null: Boolean
  }

  input NullableIssueFilter {
    and: [NullableIssueFilter!]
    createdAt: DateComparator
    id: IssueIDComparator
    null: Boolean
    number: NumberComparator
    or: [NullableIssueFilter!]
    priority: NullableNumberComparator
    state: WorkflowStateFilter
    team: TeamFilter
    title: StringComparator
    updatedAt: DateComparator
  }

  input NullableNumberComparator {
    eq: Float
    gt: Float
    gte: Float
    in: [Float!]
    lt: Float
    lte: Float
    neq: Float
    nin: [Float!]
    null: Boolean
  }

  input NullableProjectFilter {
    and: [NullableProjectFilter!]
    createdAt: DateComparator
    id: IDComparator
    lead: NullableUserFilter
    name: StringComparator
    null: Boolean
    or: [NullableProjectFilter!]
    priority: NullableNumberComparator
    slugId: StringComparator
    state: StringComparator
    status: ProjectStatusFilter
    updatedAt: DateComparator
  }

  input NullableStringComparator {
    contains: String
    containsIgnoreCase: String
    containsIgnoreCaseAndAccent: String
    endsWith: String
    eq: String
    eqIgnoreCase: String
    in: [String!]
    neq: String
    neqIgnoreCase: String
    nin: [String!]
    notContains: String
    notContainsIgnoreCase: String
    notEndsWith: String
    notStartsWith: String
    null: Boolean
    startsWith: String
    startsWithIgnoreCase: String
  }

  input NullableTimelessDateComparator {
    eq: TimelessDateOrDuration
    gt: TimelessDateOrDuration
    gte: TimelessDateOrDuration
    in: [TimelessDateOrDuration!]
    lt: TimelessDateOrDuration
    lte: TimelessDateOrDuration
    neq: TimelessDateOrDuration
    nin: [TimelessDateOrDuration!]
    null: Boolean
  }

  input NullableUserFilter {
    active: BooleanComparator
    admin: BooleanComparator
    and: [NullableUserFilter!]
    createdAt: DateComparator
    displayName: StringComparator
    email: StringComparator
    id: IDComparator
    isMe: BooleanComparator
    name: StringComparator
    null: Boolean
    or: [NullableUserFilter!]
    owner: BooleanComparator
    updatedAt: DateComparator
  }

  input NumberComparator {
    eq: Float
    gt: Float
    gte: Float
    in: [Float!]
    lt: Float
    lte: Float
    neq: Float
    nin: [Float!]
  }

  input ProjectFilter {
    and: [ProjectFilter!]
    canceledAt: NullableDateComparator
    completedAt: NullableDateComparator
    createdAt: DateComparator
    creator: UserFilter
    id: IDComparator
    lead: NullableUserFilter
    name: StringComparator
    or: [ProjectFilter!]
    priority: NullableNumberComparator
    slugId: StringComparator
    startDate: NullableDateComparator
    startedAt: NullableDateComparator
    state: StringComparator
    status: ProjectStatusFilter
    targetDate: NullableDateComparator
    updatedAt: DateComparator
  }

  input ProjectMilestoneFilter {
    and: [ProjectMilestoneFilter!]
    createdAt: DateComparator
    id: IDComparator
    name: NullableStringComparator
    or: [ProjectMilestoneFilter!]
    updatedAt: DateComparator
  }

  input ProjectStatusFilter {
    and: [ProjectStatusFilter!]
    createdAt: DateComparator
    id: IDComparator
    name: StringComparator
    or: [ProjectStatusFilter!]
    position: NumberComparator
    type: StringComparator
    updatedAt: DateComparator
  }

  input StringComparator {
    contains: String
    containsIgnoreCase: String
    containsIgnoreCaseAndAccent: String
    endsWith: String
    eq: String
    eqIgnoreCase: String
    in: [String!]
    neq: String
    neqIgnoreCase: String
    nin: [String!]
    notContains: String
    notContainsIgnoreCase: String
    notEndsWith: String
    notStartsWith: String
    startsWith: String
    startsWithIgnoreCase: String
  }

  input TeamFilter {
    and: [TeamFilter!]
    createdAt: DateComparator
    description: NullableStringComparator
    id: IDComparator
    key: StringComparator
    name: StringComparator
    or: [TeamFilter!]
    updatedAt: DateComparator
  }

  input UserFilter {
    active: BooleanComparator
    admin: BooleanComparator
    and: [UserFilter!]
    createdAt: DateComparator
    displayName: StringComparator
    email: StringComparator
    id: IDComparator
    isMe: BooleanComparator
    name: StringComparator
    or: [UserFilter!]
    owner: BooleanComparator
    updatedAt: DateComparator
  }

  input WorkflowStateFilter {
    and: [WorkflowStateFilter!]
    createdAt: DateComparator
    description: StringComparator
    id: IDComparator
    name: StringComparator
    or: [WorkflowStateFilter!]
    position: NumberComparator
    team: TeamFilter
    type: StringComparator
    updatedAt: DateComparator
  }
`;
