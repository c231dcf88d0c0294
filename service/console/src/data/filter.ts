import { texts } from '../texts/index.js';

/** One condition of the search form. */
export interface Condition {
  readonly key: number;
  readonly field: string;
  readonly operator: string;
  readonly text: string;
}

const operators: Readonly<Record<string, readonly string[]>> = {
  string: [
    'keyword',
    'fuzzy',
    'contains',
    'startswith',
    'endswith',
    'eq',
    'neq',
    'like',
    'in',
    'gt',
    'gte',
    'lt',
    'lte',
  ],
  number: ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in'],
  integer: ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in'],
  boolean: ['eq', 'neq'],
  object: ['keyword', 'fuzzy'],
  array: ['contains', 'any', 'keyword'],
};

/** The operators for a field type, with their labels. */
export const operatorsOf = (type: string): ReadonlyArray<readonly [operator: string, words: string]> =>
  (operators[type] ?? ['eq']).map((operator) => [operator, texts.operators[operator] ?? operator]);

/** Converts input text to the field's type. */
function typedValue(text: string, type: string): unknown {
  const trimmed = text.trim();
  if (trimmed === 'null') return null;
  if (type === 'boolean') return trimmed === 'true';
  if (type !== 'number' && type !== 'integer') return text;
  const value = Number(trimmed);
  return trimmed === '' || Number.isNaN(value) || !Number.isFinite(value) ? trimmed : value;
}

/** The conditions as a filter, or undefined if there are none. */
export function filterOf(
  conditions: readonly Condition[],
  combinator: 'and' | 'or',
  types: Readonly<Record<string, string>>,
): object | undefined {
  const filters = conditions
    .filter(({ text }) => text.trim() !== '')
    .map(({ field, operator, text }) => {
      const type = types[field] ?? 'string';
      const several = operator === 'in' || operator === 'any';
      const items = text.split(',').map((item) => typedValue(item.trim(), type));
      return { [operator]: { [field]: several ? items : typedValue(text, type) } };
    });
  if (filters.length === 0) return undefined;
  return filters.length === 1 ? filters[0] : { [combinator]: filters };
}
