import type { ActionDescription, EntityDescription, JsonSchema } from '../manifest/describe.js';
import { operatorNames } from '../search/language/operators.js';
import { withPageSize } from './page-size.js';
import { formsOf, isFilter, isSearchFilter, type Schema, typeText, withoutNull } from './schema.js';
import { firstThatFits } from './tokens.js';

/** Maximum size of a section in bytes: 700 tokens. */
export const sectionBytes = 2_796;

const effects = { read: 'Reads', write: 'Writes', destroy: 'Destroys' } as const;

/** Where a section is shown. */
export interface Shown {
  /** Whether the tools' defaults apply. */
  readonly inTools: boolean;
  /** Name of the connector, which calls require if there are several. */
  readonly connector?: string | undefined;
}

/** A sample call, which can be sent as it is. */
const exampleOf = (
  entity: EntityDescription,
  { name, example }: ActionDescription,
  connector: string | undefined,
): string =>
  `Example: ${JSON.stringify({ ...(connector !== undefined && { connector }), entity: entity.name, action: name, params: example })}`;

/** Explains a search's `filter`, searchable fields and semantic search. */
function searchNotes({ search }: EntityDescription): string[] {
  if (!search) return [];
  const byType = new Map<string, string[]>();
  for (const [name, type] of Object.entries(search.fields)) byType.set(type, [...(byType.get(type) ?? []), name]);
  const semanticFields = Object.keys(search.semantic);
  return [
    `A filter is {operator: {field: value}}, with ${operatorNames.join(', ')}; several in one object mean AND; and, or take arrays of filters, not takes one.`,
    `Searchable fields, dotted paths reach into objects:\n${[...byType].map(([type, names]) => `- ${type}: ${names.join(', ')}`).join('\n')}`,
    ...(semanticFields.length > 0 ? [`A search by meaning (semantic) covers ${semanticFields.join(', ')}.`] : []),
  ];
}

const given = (schema: Schema | undefined): string =>
  Object.keys(schema?.properties ?? {})
    .map((name) => (schema?.required?.includes(name) ? name : `${name}?`))
    .join(', ');

/** The forms of a search's parameters, which are the same for every entity: section search explains them. */
const searchForms = ({ params }: ActionDescription, inTools: boolean): string =>
  formsOf(params)
    .map((form) => {
      const chosen = inTools ? withPageSize(form as JsonSchema, {}) : {};
      const names = Object.entries(form.properties ?? {}).map(([name, property]) => {
        if (property.properties) return `${name}: {${given(property)}}`;
        return [`${name}?`, ...defaultText(chosen[name], property.default)].join(' ');
      });
      return `{${names.join(', ')}}`;
    })
    .join(' or ');

/** How to search an entity: what differs from other entities. */
const searchUsage = (entity: EntityDescription, action: ActionDescription, { inTools, connector }: Shown): string =>
  [
    `Parameters: ${searchForms(action, inTools)}. Section search explains them and meta.`,
    ...searchNotes(entity),
    exampleOf(entity, action, connector),
  ].join('\n\n');

/** How to call an action: its parameters, with the tools' default page size, and an example. */
const usage = (
  entity: EntityDescription,
  action: ActionDescription,
  detail: TableDetail,
  { inTools, connector }: Shown,
): string =>
  action.hosted_only
    ? searchUsage(entity, action, { inTools, connector })
    : [
        parameterTable(
          action.params,
          detail,
          inTools && action.paginated ? (form) => withPageSize(form, {}) : undefined,
        ),
        exampleOf(entity, action, connector),
      ].join('\n\n');

/** How to call an action, short enough for an error; for a search, only an example. */
export const shortUsage = (
  entity: EntityDescription,
  action: ActionDescription,
  connector: string | undefined,
): string =>
  action.hosted_only
    ? exampleOf(entity, action, connector)
    : firstThatFits(sectionBytes - 600, [
        () => usage(entity, action, { depth: 3, explained: true }, { inTools: true, connector }),
        () => usage(entity, action, { depth: 2, explained: true }, { inTools: true, connector }),
        () => usage(entity, action, { depth: 1, explained: true }, { inTools: true, connector }),
        () => usage(entity, action, { depth: 1, explained: false }, { inTools: true, connector }),
      ]);

function returnsText(action: ActionDescription, depth: number, typed: boolean): string {
  if (action.binary)
    return 'Returns text in chunks selected by range_header; for other content, returns its name, type and size.';
  const [record = {}] = formsOf(action.data);
  return `Returns${action.meta === null ? '' : ' records'} (null where absent):\n${fieldList(record, depth, typed)}`;
}

/** The scopes that an action needs at the vendor. */
const scopesText = ({ scopes = [] }: ActionDescription): string[] =>
  scopes.length === 0 ? [] : [`Scopes: ${scopes.map((all) => all.join(' and ')).join(', or ')}.`];

/** Everything about an action, in as much detail as fits. */
export function actionSection(entity: EntityDescription, action: ActionDescription, shown: Shown): string {
  const write = (detail: TableDetail, depth: number, typed: boolean, explainsMeta = true) =>
    [
      `# ${entity.name}.${action.name}`,
      `${action.description} ${effects[action.effect]}${action.paginated ? ', in pages' : ''}${action.hosted_only ? '; needs a service (hosted)' : ''}.`,
      usage(entity, action, detail, shown),
      // The search fields are already listed above.
      ...(action.hosted_only ? [] : [returnsText(action, depth, typed)]),
      ...scopesText(action),
      ...(action.meta && !action.hosted_only ? [`meta: ${metaList(action.meta, explainsMeta)}.`] : []),
    ].join('\n\n');
  const full = { depth: 4, explained: true };
  return firstThatFits(sectionBytes, [
    () => write(full, 2, true),
    () => write(full, 1, true),
    () => write(full, 0, true),
    () => write(full, 0, false),
    () => write({ depth: 3, explained: true }, 0, false),
    () => write({ depth: 2, explained: true }, 0, false),
    () => write({ depth: 2, explained: true }, 0, false, false),
    // Explanations contain values and defaults, which say more than the names of nested fields.
    () => write({ depth: 1, explained: true }, 0, false, false),
    () => write({ depth: 2, explained: false }, 0, false),
  ]);
}

const typeNames: Readonly<Record<string, string>> = { string: 'text' };

/** A field's name, with nested names down to `depth`. */
function nameOf(key: string, property: Schema, depth: number): string {
  const { schema } = withoutNull(property);
  const isArray = schema.type === 'array';
  const inner = isArray ? withoutNull(schema.items ?? {}).schema : schema;
  const name = isArray ? `${key}[]` : key;
  const inside = Object.entries(inner.properties ?? {});
  if (inside.length === 0 || depth === 0) return name;
  return `${name} {${inside.map(([key, within]) => nameOf(key, within, depth - 1)).join(', ')}}`;
}

/** A record's fields by type, including nested ones down to `depth`; only their names if `typed` is false. */
function fieldList({ properties = {} }: Schema, depth: number, typed: boolean): string {
  const entries = Object.entries(properties);
  if (!typed) return entries.map(([key, property]) => nameOf(key, property, 0)).join(', ');
  const groups = new Map<string, string[]>();
  for (const [key, property] of entries) {
    const type = String(withoutNull(property).schema.type ?? 'any');
    const group = groups.get(type) ?? [];
    group.push(nameOf(key, property, depth));
    groups.set(type, group);
  }
  return [...groups].map(([type, names]) => `- ${typeNames[type] ?? type}: ${names.join(', ')}`).join('\n');
}

/** Fields of an action's meta. */
const metaList = (meta: JsonSchema | null, explained: boolean): string =>
  formsOf(meta)
    .flatMap(({ properties = {} }) =>
      Object.entries(properties).map(([key, { description }]) =>
        explained && description ? `${key} (${description.replace(/\.$/, '')})` : key,
      ),
    )
    .join(', ');

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
      ...(required.includes(key) && property.default === undefined ? [requiredText(property)] : []),
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

const requiredText = ({ requiredUnless }: Schema): string =>
  requiredUnless ? `required unless ${requiredUnless.join(' or ')} is set` : 'required';

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
interface TableDetail {
  readonly depth: number;
  readonly explained: boolean;
}

/** An action's parameters as a Markdown table; one table per form. `choose` returns the values that the caller adds. */
function parameterTable(
  params: JsonSchema,
  { depth, explained }: TableDetail,
  choose: (form: JsonSchema) => Values = () => ({}),
): string {
  const forms = formsOf(params).map((form) => rowsOf(form, depth, '', choose(form as JsonSchema)));
  if (forms.every((rows) => rows.length === 0)) return 'No parameters.';
  return forms.map((rows) => tableOf(rows, explained)).join('\n\nor\n\n');
}
