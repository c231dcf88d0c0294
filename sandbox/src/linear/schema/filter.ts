const equality = ['eq', 'in', 'neq', 'nin'];
const order = [...equality, 'gt', 'gte', 'lt', 'lte'];
const contents = [
  ...equality,
  'contains',
  'containsIgnoreCase',
  'containsIgnoreCaseAndAccent',
  'endsWith',
  'eqIgnoreCase',
  'neqIgnoreCase',
  'notContains',
  'notContainsIgnoreCase',
  'notEndsWith',
  'notStartsWith',
  'startsWith',
  'startsWithIgnoreCase',
];

function comparator(name: string, type: string, operators: readonly string[], fields = ''): string {
  const typeOf = (operator: string) => (/^n?in$/.test(operator) ? `[${type}!]` : type);
  return `input ${name}Comparator { ${operators.map((operator) => `${operator}: ${typeOf(operator)}`)} ${fields} }`;
}

function nullable(name: string, type: string, operators: readonly string[]): string {
  return comparator(name, type, operators, 'null: Boolean');
}

function filter(name: string, fields: string): string {
  return `input ${name} { and: [${name}!] or: [${name}!] ${fields} }`;
}

const userFields = `
  active: BooleanComparator
  admin: BooleanComparator
  createdAt: DateComparator
  displayName: StringComparator
  email: StringComparator
  id: IDComparator
  isMe: BooleanComparator
  name: StringComparator
  owner: BooleanComparator
  updatedAt: DateComparator
`;

/** Filter inputs and comparators from Linear's schema. */
export const filterTypes = [
  'input BooleanComparator { eq: Boolean neq: Boolean }',
  comparator('Date', 'DateTimeOrDuration', order),
  comparator('ID', 'ID', equality),
  comparator('IssueID', 'ID', equality),
  comparator('Number', 'Float', order),
  comparator('String', 'String', contents),
  nullable('Estimate', 'Float', order),
  nullable('NullableDate', 'DateTimeOrDuration', order),
  nullable('NullableNumber', 'Float', order),
  nullable('NullableString', 'String', contents),
  nullable('NullableTimelessDate', 'TimelessDateOrDuration', order),
  filter(
    'AttachmentFilter',
    `
    createdAt: DateComparator
    id: IDComparator
    subtitle: NullableStringComparator
    title: StringComparator
    updatedAt: DateComparator
    url: StringComparator
    `,
  ),
  filter(
    'CommentFilter',
    `
    body: StringComparator
    createdAt: DateComparator
    id: IDComparator
    issue: NullableIssueFilter
    parent: NullableCommentFilter
    project: NullableProjectFilter
    updatedAt: DateComparator
    user: UserFilter
    `,
  ),
  filter(
    'CycleFilter',
    `
    createdAt: DateComparator
    endsAt: DateComparator
    id: IDComparator
    name: StringComparator
    number: NumberComparator
    startsAt: DateComparator
    team: TeamFilter
    updatedAt: DateComparator
    `,
  ),
  filter(
    'IssueFilter',
    `
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
    parent: NullableIssueFilter
    priority: NullableNumberComparator
    project: NullableProjectFilter
    startedAt: NullableDateComparator
    state: WorkflowStateFilter
    team: TeamFilter
    title: StringComparator
    updatedAt: DateComparator
    `,
  ),
  filter(
    'IssueLabelCollectionFilter',
    `
    every: IssueLabelFilter
    id: IDComparator
    name: StringComparator
    null: Boolean
    some: IssueLabelFilter
    `,
  ),
  filter(
    'IssueLabelFilter',
    `
    createdAt: DateComparator
    id: IDComparator
    name: StringComparator
    updatedAt: DateComparator
    `,
  ),
  filter(
    'NullableCommentFilter',
    `
    body: StringComparator
    createdAt: DateComparator
    id: IDComparator
    null: Boolean
    updatedAt: DateComparator
    `,
  ),
  filter(
    'NullableIssueFilter',
    `
    createdAt: DateComparator
    id: IssueIDComparator
    null: Boolean
    number: NumberComparator
    priority: NullableNumberComparator
    state: WorkflowStateFilter
    team: TeamFilter
    title: StringComparator
    updatedAt: DateComparator
    `,
  ),
  filter(
    'NullableProjectFilter',
    `
    createdAt: DateComparator
    id: IDComparator
    lead: NullableUserFilter
    name: StringComparator
    null: Boolean
    priority: NullableNumberComparator
    slugId: StringComparator
    state: StringComparator
    status: ProjectStatusFilter
    updatedAt: DateComparator
    `,
  ),
  filter(
    'ProjectFilter',
    `
    canceledAt: NullableDateComparator
    completedAt: NullableDateComparator
    createdAt: DateComparator
    creator: UserFilter
    id: IDComparator
    lead: NullableUserFilter
    name: StringComparator
    priority: NullableNumberComparator
    slugId: StringComparator
    startDate: NullableDateComparator
    startedAt: NullableDateComparator
    state: StringComparator
    status: ProjectStatusFilter
    targetDate: NullableDateComparator
    updatedAt: DateComparator
    `,
  ),
  filter(
    'ProjectMilestoneFilter',
    `
    createdAt: DateComparator
    id: IDComparator
    name: NullableStringComparator
    updatedAt: DateComparator
    `,
  ),
  filter(
    'ProjectStatusFilter',
    `
    createdAt: DateComparator
    id: IDComparator
    name: StringComparator
    position: NumberComparator
    type: StringComparator
    updatedAt: DateComparator
    `,
  ),
  filter(
    'TeamFilter',
    `
    createdAt: DateComparator
    description: NullableStringComparator
    id: IDComparator
    key: StringComparator
    name: StringComparator
    updatedAt: DateComparator
    `,
  ),
  filter('UserFilter', userFields),
  filter('NullableUserFilter', `${userFields} null: Boolean`),
  filter(
    'WorkflowStateFilter',
    `
    createdAt: DateComparator
    description: StringComparator
    id: IDComparator
    name: StringComparator
    position: NumberComparator
    team: TeamFilter
    type: StringComparator
    updatedAt: DateComparator
    `,
  ),
].join('\n');
