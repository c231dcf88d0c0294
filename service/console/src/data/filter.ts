import { type FieldType, type Operator, type OperatorName, operands, operators } from 'agent-connectors/search';

/** One condition of the search form. */
export interface Condition {
  readonly key: number;
  readonly field: string;
  readonly operator: string;
  readonly text: string;
}

/** Types of which whole values can be typed into the form; of others, only null can. */
const typedIn = ['string', 'number', 'integer'];

/** The operators for a field type, with their labels: those for few types come first. */
export function operatorsOf(type: string): ReadonlyArray<readonly [operator: string, words: string]> {
  const named = Object.entries<Operator>(operators).filter(([, { operand }]) =>
    operands[operand].appliesTo(type as FieldType),
  );
  const isGeneral = ({ operand }: Operator) => operands[operand].appliesTo('boolean');
  const general = named.filter(([name, each]) => isGeneral(each) && (typedIn.includes(type) || /^n?eq$/.test(name)));
  return [...named.filter(([, each]) => !isGeneral(each)), ...general].map(([name, { label }]) => [name, label]);
}

/** Whether an operator takes several values. */
export const takesList = (operator: string): boolean =>
  operands[operators[operator as OperatorName].operand].isList ?? false;

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
      const several = takesList(operator);
      const items = text.split(',').map((item) => typedValue(item.trim(), type));
      return { [operator]: { [field]: several ? items : typedValue(text, type) } };
    });
  if (filters.length === 0) return undefined;
  return filters.length === 1 ? filters[0] : { [combinator]: filters };
}

/** Conditions as text, for a URL. */
export const writeConditions = (conditions: readonly Condition[]): string => {
  const filled = conditions.filter(({ text }) => text.trim() !== '');
  return filled.length === 0 ? '' : JSON.stringify(filled.map(({ field, operator, text }) => [field, operator, text]));
};

/** The conditions in a URL that fit the fields; anything else is ignored. */
export function readConditions(written: string | null, types: Readonly<Record<string, string>>): Condition[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(written ?? '[]');
  } catch {
    return [];
  }
  return (Array.isArray(parsed) ? parsed : []).flatMap((each, key) => {
    const [field, operator, text] = Array.isArray(each) ? each.map(String) : [];
    const isKnown = field !== undefined && operatorsOf(types[field] ?? '').some(([name]) => name === operator);
    return isKnown && operator !== undefined && text !== undefined ? [{ key, field, operator, text }] : [];
  });
}
