import type { ActionDescription, EntityDescription, JsonSchema } from '../manifest/describe.js';
import { withPageSize } from './page-size.js';
import { parameterTable, type TableDetail } from './parameters.js';
import { formsOf, type Schema, withoutNull } from './schema.js';
import { firstThatFits } from './tokens.js';

/** Maximum size of a section in bytes: 700 tokens. */
export const sectionBytes = 2_796;

const effects = { read: 'Reads', write: 'Writes', destroy: 'Destroys' } as const;

/** A sample call. */
const exampleOf = (entity: EntityDescription, { name, example }: ActionDescription): string =>
  `Example: ${JSON.stringify({ entity: entity.name, action: name, params: example })}`;

/** Explains a search's `filter`, searchable fields and semantic search. */
function searchNotes({ search }: EntityDescription): string[] {
  if (!search) return [];
  const byType = new Map<string, string[]>();
  for (const [name, type] of Object.entries(search.fields)) byType.set(type, [...(byType.get(type) ?? []), name]);
  const semanticFields = Object.keys(search.semantic);
  return [
    'A filter is {operator: {field: value}}: eq, neq, gt, gte, lt, lte, in, like (% and _), fuzzy (words in order), keyword (any word), startswith, endswith, contains (text), contains and any (arrays); several in one object mean AND; and, or take arrays of filters, not takes one.',
    `Searchable fields, dotted paths reach into objects:\n${[...byType].map(([type, names]) => `- ${type}: ${names.join(', ')}`).join('\n')}`,
    ...(semanticFields.length > 0 ? [`A search by meaning (semantic) covers ${semanticFields.join(', ')}.`] : []),
  ];
}

/** How to call an action: its parameters, with the tools' default page size, and an example. */
const usage = (entity: EntityDescription, action: ActionDescription, detail: TableDetail, inTools: boolean): string =>
  [
    parameterTable(action.params, detail, inTools && action.paginated ? (form) => withPageSize(form, {}) : undefined),
    ...(action.hosted_only ? searchNotes(entity) : []),
    exampleOf(entity, action),
  ].join('\n\n');

/** How to call an action, short enough for an error; for a search, only an example. */
export const shortUsage = (entity: EntityDescription, action: ActionDescription): string =>
  action.hosted_only
    ? exampleOf(entity, action)
    : firstThatFits(sectionBytes - 600, [
        () => usage(entity, action, { depth: 3, explained: true }, true),
        () => usage(entity, action, { depth: 2, explained: true }, true),
        () => usage(entity, action, { depth: 2, explained: false }, true),
        () => usage(entity, action, { depth: 1, explained: false }, true),
      ]);

function returnsText(action: ActionDescription, depth: number, typed: boolean): string {
  if (action.binary)
    return 'Returns text in chunks selected by range_header; for other content, returns its name, type and size.';
  const [record = {}] = formsOf(action.data);
  return `Returns${action.meta === null ? '' : ' records'} (null where absent):\n${fieldList(record, depth, typed)}`;
}

/** Everything about an action, in as much detail as fits. `inTools` applies the tools' defaults. */
export function actionSection(entity: EntityDescription, action: ActionDescription, inTools: boolean): string {
  const write = (detail: TableDetail, depth: number, typed: boolean, explainsMeta = true) =>
    [
      `# ${entity.name}.${action.name}`,
      `${action.description} ${effects[action.effect]}${action.paginated ? ', in pages' : ''}${action.hosted_only ? '; needs a service (hosted)' : ''}.`,
      usage(entity, action, detail, inTools),
      // The search fields are already listed above.
      ...(action.hosted_only ? [] : [returnsText(action, depth, typed)]),
      ...(action.meta ? [`meta: ${metaList(action.meta, explainsMeta)}.`] : []),
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
