/** Properties to sort by; each has an input of its own. */
const sortedBy = [
  'CompletedAt',
  'CreatedAt',
  'DueDate',
  'ProjectCreatedAt',
  'ProjectName',
  'ProjectUpdatedAt',
  'StartDate',
  'TargetDate',
  'Title',
  'UpdatedAt',
  'UserDisplayName',
  'UserName',
];

const order = /* GraphQL */ `
  nulls: PaginationNulls = last
  order: PaginationSortOrder
`;

/** Sort inputs from Linear's schema. */
export const sortTypes = /* GraphQL */ `
  ${sortedBy.map((name) => `input ${name}Sort { ${order} }`).join('\n')}

  input IssueSortInput {
    completedAt: CompletedAtSort
    createdAt: CreatedAtSort
    dueDate: DueDateSort
    priority: PrioritySort
    title: TitleSort
    updatedAt: UpdatedAtSort
  }

  enum PaginationNulls {
    first
    last
  }

  enum PaginationSortOrder {
    Ascending
    Descending
  }

  input PrioritySort {
    noPriorityFirst: Boolean = false
    usePrioritySortOrderTiebreaker: Boolean = true
    ${order}
  }

  input ProjectPrioritySort {
    noPriorityFirst: Boolean = false
    ${order}
  }

  input ProjectSortInput {
    createdAt: ProjectCreatedAtSort
    name: ProjectNameSort
    priority: ProjectPrioritySort
    startDate: StartDateSort
    targetDate: TargetDateSort
    updatedAt: ProjectUpdatedAtSort
  }

  input UserSortInput {
    displayName: UserDisplayNameSort
    name: UserNameSort
  }
`;
