/** Sort inputs from Linear's schema. */
export const sortTypes = /* GraphQL */ `
  input CompletedAtSort {
    nulls: PaginationNulls = last
    order: PaginationSortOrder
  }

  input CreatedAtSort {
    nulls: PaginationNulls = last
    order: PaginationSortOrder
  }

  input DueDateSort {
    nulls: PaginationNulls = last
    order: PaginationSortOrder
  }

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
    nulls: PaginationNulls = last
    order: PaginationSortOrder
    usePrioritySortOrderTiebreaker: Boolean = true
  }

  input ProjectCreatedAtSort {
    nulls: PaginationNulls = last
    order: PaginationSortOrder
  }

  input ProjectNameSort {
    nulls: PaginationNulls = last
    order: PaginationSortOrder
  }

  input ProjectPrioritySort {
    noPriorityFirst: Boolean = false
    nulls: PaginationNulls = last
    order: PaginationSortOrder
  }

  input ProjectSortInput {
    createdAt: ProjectCreatedAtSort
    name: ProjectNameSort
    priority: ProjectPrioritySort
    startDate: StartDateSort
    targetDate: TargetDateSort
    updatedAt: ProjectUpdatedAtSort
  }

  input ProjectUpdatedAtSort {
    nulls: PaginationNulls = last
    order: PaginationSortOrder
  }

  input StartDateSort {
    nulls: PaginationNulls = last
    order: PaginationSortOrder
  }

  input TargetDateSort {
    nulls: PaginationNulls = last
    order: PaginationSortOrder
  }

  input TitleSort {
    nulls: PaginationNulls = last
    order: PaginationSortOrder
  }

  input UpdatedAtSort {
    nulls: PaginationNulls = last
    order: PaginationSortOrder
  }

  input UserDisplayNameSort {
    nulls: PaginationNulls = last
    order: PaginationSortOrder
  }

  input UserNameSort {
    nulls: PaginationNulls = last
    order: PaginationSortOrder
  }

  input UserSortInput {
    displayName: UserDisplayNameSort
    name: UserNameSort
  }
`;
