import type { JsonSchema } from '../manifest/describe.js';
import { formsOf, isFilter, isSearchFilter, type Schema, typeText, withoutNull } from './schema.js';

interface Row {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/** A schema's properties as rows; nested names use dots, and array elements `[]`. */
function rowsOf({ properties = {}, required = [] }: Schema, depth: number, above = '', chosen: Values = {}): Row[] {
  return Object.entries(properties).flatMap(([key, property]) => {
    const name = above + key;
    const given = withoutNull(property).schema;
    const inner = given.type === 'array' ? withoutNull(given.items ?? {}).schema : given;
    const type = [
      typeText(property),
      ...(required.includes(key) && property.default === undefined ? ['required'] : []),
      ...defaultText(chosen[key], property.default),
    ].join(', ');
    const description = isSearchFilter(inner) ? '' : (property.description ?? '');
    // The vendor's default does not apply if the tools choose a value.
    const text = chosen[key] === undefined ? description : description.replace(/ \(default [^)]+\)/, '');
    const own = { name, type, text };
    if (!inner.properties || isSearchFilter(inner)) return [own];
    if (isFilter(inner))
      return [{ ...own, type: `${type} ${conditionsText(inner)}`, text: `${own.text} ${operatorsText(inner)}` }];
    // Nested properties do not have rows at this depth, so their names are listed here.
    if (depth <= 1) return [{ ...own, type: `${type} {${currentOf(inner.properties).join(', ')}}` }];
    return [own, ...rowsOf(inner, depth - 1, `${name}${given.type === 'array' ? '[]' : ''}.`)];
  });
}

const innerOf = ({ properties = {} }: Schema) =>
  Object.entries(properties).filter(([, { properties: inner }]) => inner);

/** The fields of conditions, with the fields of objects in braces. Anything with operators is a field. */
const conditionsText = (schema: Schema): string => {
  const names = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const inner = innerOf(field).map(([key]) => key);
    return inner.length > 0 ? `${name} {${inner.join(', ')}}` : name;
  });
  return `{${names.join(', ')}}`;
};

/** The combined operators of all fields. */
const operatorsText = (schema: Schema): string => {
  const namesOf = (field: Schema): string[] =>
    innerOf(field).length > 0
      ? innerOf(field).flatMap(([, inner]) => namesOf(inner))
      : currentOf(field.properties ?? {});
  return `Operators: ${[...new Set(namesOf(schema))].join(', ')}.`;
};

type Values = Readonly<Record<string, unknown>>;

/** A parameter's default: the tools' choice, otherwise the schema's. */
const defaultText = (chosen: unknown, byDefault: unknown): string[] =>
  chosen !== undefined
    ? [`= ${JSON.stringify(chosen)} here`]
    : byDefault === undefined
      ? []
      : [`= ${JSON.stringify(byDefault)}`];

/** Names that are not deprecated. */
const currentOf = (properties: Readonly<Record<string, Schema>>) =>
  Object.keys(properties).filter((name) => !properties[name]?.deprecated);

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function tableOf(rows: readonly Row[], explained: boolean): string {
  const lines = rows.map(({ name, type, text }) => `| ${name} | ${cell(type)} | ${explained ? cell(text) : ''} |`);
  return ['| Parameter | Type | |', '|---|---|---|', ...lines].join('\n');
}

/** How much of a parameter table to print. */
export interface TableDetail {
  readonly depth: number;
  readonly explained: boolean;
}

/** An action's parameters as a Markdown table; one table per form. `choose` returns the values that the caller adds. */
export function parameterTable(
  params: JsonSchema,
  { depth, explained }: TableDetail,
  choose: (form: JsonSchema) => Values = () => ({}),
): string {
  const forms = formsOf(params).map((form) => rowsOf(form, depth, '', choose(form as JsonSchema)));
  if (forms.every((rows) => rows.length === 0)) return 'No parameters.';
  return forms.map((rows) => tableOf(rows, explained)).join('\n\nor\n\n');
}
