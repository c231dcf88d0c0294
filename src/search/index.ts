/**
 * The language of searches: parses the parameters of `context_store_search` for a store of your own; used by the
 * service.
 * @module agent-connectors/search
 */
export { type Hint, type Issue, invalidParams } from '../action/params.js';
export { type Instant, parseInstant, relativeDate } from './language/dates.js';
export { type Field, type FieldDeclarations, type FieldType, type Searchable, searchable } from './language/fields.js';
export type { Condition, FieldCondition } from './language/filter.js';
export * from './language/limits.js';
export { type Operand, operands } from './language/operands.js';
export {
  type OperandKind,
  type OperandTypes,
  type Operator,
  type OperatorName,
  operators,
  type Test,
} from './language/operators.js';
export {
  fieldsRead,
  type ParsedPrompt,
  type ParsedQuery,
  type ParsedSearch,
  type ParsedSummary,
  parseSearch,
  type RankingMode,
  type SearchParse,
  type SortKey,
} from './language/search.js';
export {
  type AggregateOperator,
  type Direction,
  type GroupField,
  type Grouping,
  type GroupSortKey,
  type ParsedAggregate,
  type Period,
  pathOf,
} from './language/summary.js';
