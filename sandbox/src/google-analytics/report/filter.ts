import { apiErrors } from '../errors.js';
import type { Filter, FilterExpression, NumericValue } from '../request/bodies.js';

/** A predicate. */
export type Predicate<Subject> = (subject: Subject) => boolean;

/** Compiles a filter; `leaf` turns a predicate on a field's text into one on the subject. */
export function predicateOf<Subject>(
  expression: FilterExpression,
  leaf: (field: string, passes: Predicate<string>) => Predicate<Subject>,
): Predicate<Subject> {
  const { andGroup, orGroup, notExpression, filter } = expression;
  if ([andGroup, orGroup, notExpression, filter].filter((one) => one !== undefined).length !== 1) {
    throw apiErrors.invalid('A FilterExpression must have exactly one of andGroup, orGroup, notExpression or filter.');
  }
  if (filter) return leaf(filter.fieldName ?? '', textPredicate(filter));
  if (notExpression) {
    const inner = predicateOf(notExpression, leaf);
    return (subject) => !inner(subject);
  }
  const expressions = (andGroup ?? orGroup)?.expressions ?? [];
  if (expressions.length === 0) throw apiErrors.invalid('A FilterExpressionList must have at least one expression.');
  const predicates = expressions.map((one) => predicateOf(one, leaf));
  return andGroup
    ? (subject) => predicates.every((predicate) => predicate(subject))
    : (subject) => predicates.some((predicate) => predicate(subject));
}

/** Names used by a filter. */
export function fieldsOf({ andGroup, orGroup, notExpression, filter }: FilterExpression): string[] {
  const inner = [...(andGroup?.expressions ?? []), ...(orGroup?.expressions ?? []), notExpression ?? []].flat();
  return [...(filter ? [filter.fieldName ?? ''] : []), ...inner.flatMap(fieldsOf)];
}

function textPredicate(filter: Filter): Predicate<string> {
  const { stringFilter, inListFilter, numericFilter, betweenFilter, emptyFilter } = filter;
  if (stringFilter) return stringPredicate(stringFilter);
  if (inListFilter) {
    const { values = [], caseSensitive = false } = inListFilter;
    if (values.length === 0) throw apiErrors.invalid('An InListFilter must have at least one value.');
    const allowed = new Set(values.map((one) => (caseSensitive ? one : one.toLowerCase())));
    return (text) => allowed.has(caseSensitive ? text : text.toLowerCase());
  }
  if (numericFilter) {
    const wanted = numberOf(numericFilter.value);
    return (text) => compareNumbers(numericFilter.operation, Number(text), wanted);
  }
  if (betweenFilter) {
    const [from, to] = [numberOf(betweenFilter.fromValue), numberOf(betweenFilter.toValue)];
    return (text) => Number(text) >= from && Number(text) <= to;
  }
  if (emptyFilter) return (text) => text === '' || text === '(not set)';
  throw apiErrors.invalid(`The filter for ${filter.fieldName ?? 'a field'} must specify what to filter by.`);
}

function stringPredicate({ matchType = 'EXACT', value = '', caseSensitive = false }: Filter['stringFilter'] & {}) {
  const fold = (text: string) => (caseSensitive ? text : text.toLowerCase());
  const wanted = fold(value);
  switch (matchType) {
    case 'BEGINS_WITH':
      return (text: string) => fold(text).startsWith(wanted);
    case 'ENDS_WITH':
      return (text: string) => fold(text).endsWith(wanted);
    case 'CONTAINS':
      return (text: string) => fold(text).includes(wanted);
    case 'FULL_REGEXP':
    case 'PARTIAL_REGEXP': {
      const pattern = patternOf(matchType === 'FULL_REGEXP' ? `^(?:${value})$` : value, caseSensitive ? 'u' : 'iu');
      return (text: string) => pattern.test(text);
    }
    default:
      return (text: string) => fold(text) === wanted;
  }
}

function patternOf(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    throw apiErrors.invalid(`The regular expression ${source} is not valid.`);
  }
}

function numberOf(value: NumericValue | undefined): number {
  const number = value?.int64Value ?? value?.doubleValue;
  if (number === undefined) throw apiErrors.invalid('A NumericValue must have an int64Value or a doubleValue.');
  return number;
}

function compareNumbers(operation: string | undefined, one: number, other: number): boolean {
  switch (operation) {
    case 'EQUAL':
      return one === other;
    case 'LESS_THAN':
      return one < other;
    case 'LESS_THAN_OR_EQUAL':
      return one <= other;
    case 'GREATER_THAN':
      return one > other;
    case 'GREATER_THAN_OR_EQUAL':
      return one >= other;
    default:
      throw apiErrors.invalid('A NumericFilter must have an operation.');
  }
}
