import { maxDepth } from 'agent-connectors/search';

/** Field names the caller uses outside the search parameters. */
export interface RequestedNames {
  /** Paths that shape the result. */
  readonly shapedBy?: readonly string[] | undefined;
  /** Whether fields not named by the request are returned in snake_case. */
  readonly snakeCase?: boolean | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** For example, `created_at` for `createdAt`. */
const snakeCase = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();

/** Accepts snake_case field names and paths given as arrays; returns each field under the name used in the request. */
export class FieldNames {
  readonly #fields = new Map<string, string>();
  readonly #requested = new Map<string, Set<string>>();
  /** Like `#requested`, but contains only the names used in conditions. */
  #filtered: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  /** Grouping paths and their names in the request. */
  readonly #groups = new Map<string, string>();
  readonly #names: RequestedNames;
  readonly #types: Readonly<Record<string, string>>;

  constructor(types: Readonly<Record<string, string>>, names: RequestedNames) {
    this.#types = types;
    // Filled in reverse order so that a real field takes precedence over another's snake_case name.
    for (const field of Object.keys(types).reverse()) {
      this.#fields.set(snakeCase(field), field);
      // In Python, `type` becomes `type_`.
      this.#fields.set(`${snakeCase(field)}_`, field);
    }
    for (const field of Object.keys(types)) this.#fields.set(field, field);
    this.#names = names;
  }

  params(params: unknown): unknown {
    if (!isObject(params)) return params;
    const { query, semantic, fields } = params;
    const read = {
      ...params,
      ...(isObject(query) && { query: this.#conditions(query) }),
      ...(isObject(semantic) && { semantic: this.#conditions(semantic) }),
    };
    this.#filtered = new Map(this.#requested);
    // If `fields` is set, it determines all returned names.
    if (Array.isArray(fields)) this.#requested.clear();
    const paths = Array.isArray(fields) ? { fields: fields.map((path) => this.#path(path)) } : {};
    for (const path of this.#names.shapedBy ?? []) this.#path(path);
    return { ...read, ...paths };
  }

  /** Renames grouping fields; call after `params`. */
  groups(rows: readonly Fields[]): readonly Fields[] {
    const nameIn = (row: Fields, path: string) => {
      const requested = this.#groups.get(path) ?? path;
      // An aggregate can have this name.
      return Object.hasOwn(row, requested) ? path : requested;
    };
    const rename = (row: Fields) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [nameIn(row, name), value]));
    return [...this.#groups].every(([path, name]) => path === name) ? rows : rows.map(rename);
  }

  /** Renames paths of a filter; call after `params`. */
  emptyMeta(meta: Fields): Fields {
    const empty = meta.empty as { readonly fields: Fields } | undefined;
    if (!empty) return meta;
    const renamed = Object.entries(empty.fields).map(([path, values]) => {
      const [head = '', ...inner] = path.split('.');
      const [requested = head] = this.#filtered.get(head) ?? [];
      return [[requested, ...inner].join('.'), values];
    });
    return { ...meta, empty: { ...empty, fields: Object.fromEntries(renamed) } };
  }

  /** Renames record fields; call after `params`. */
  records(records: readonly Fields[]): readonly Fields[] {
    const outputs = [...new Set(this.#fields.values())].map((field) => {
      const unnamed = this.#names.snakeCase ? snakeCase(field) : field;
      const both = this.#names.snakeCase && /^(object|type)$/.test(unnamed);
      return { field, names: [...(this.#requested.get(field) ?? (both ? [unnamed, `${unnamed}_`] : [unnamed]))] };
    });
    const renames = outputs.some(({ field, names }) => names.length > 1 || names[0] !== field);
    if (!renames && !this.#names.snakeCase) return records;
    return records.map((record) => {
      const renamed: Record<string, unknown> = {};
      for (const { field, names } of outputs) {
        if (Object.hasOwn(record, field)) for (const name of names) renamed[name] = this.#value(field, record[field]);
      }
      return renamed;
    });
  }

  /** Gong returns `context` as a list, but the Python client's strict models expect an object. */
  #value(field: string, value: unknown): unknown {
    return this.#names.snakeCase && this.#types[field] === 'object' && Array.isArray(value) ? { items: value } : value;
  }

  #path(path: unknown): unknown {
    const isList = Array.isArray(path) && path.every((name) => typeof name === 'string' && !/^$|\./.test(name));
    const text = isList ? path.join('.') : path;
    if (typeof text !== 'string') return path;
    const [head = '', ...inner] = text.split('.');
    const field = this.#fields.get(head);
    if (field === undefined) return text;
    const names = this.#requested.get(field) ?? new Set();
    this.#requested.set(field, names.add(head));
    return [field, ...inner].join('.');
  }

  #conditions({ filter, sort, field, groupBy, aggregates, ...others }: Fields): Fields {
    const group = (path: unknown): unknown => {
      const canonical = this.#path(path);
      if (typeof canonical === 'string' && typeof path === 'string') this.#groups.set(canonical, path);
      return canonical;
    };
    const operands = (given: unknown) =>
      isObject(given)
        ? mapValues(given, (paths) => (isObject(paths) ? mapValues(paths, (path) => this.#path(path)) : paths))
        : given;
    const isAggregate = (key: unknown) =>
      isObject(key) && isObject(aggregates) && Object.keys(key).some((name) => Object.hasOwn(aggregates, name));
    const sortKey = (key: unknown) => (isAggregate(key) ? key : this.#keys(key));
    return {
      ...others,
      ...(groupBy !== undefined && { groupBy: Array.isArray(groupBy) ? groupBy.map(group) : group(groupBy) }),
      ...(aggregates !== undefined && { aggregates: operands(aggregates) }),
      ...(filter !== undefined && { filter: this.#filter(filter, 0) }),
      ...(sort !== undefined && { sort: Array.isArray(sort) ? sort.map(sortKey) : sort }),
      ...(field !== undefined && { field: this.#path(field) }),
    };
  }

  #filter(filter: unknown, depth: number): unknown {
    if (!isObject(filter) || depth > maxDepth) return filter;
    const inner = (part: unknown) => this.#filter(part, depth + 1);
    return Object.fromEntries(
      Object.entries(filter).map(([name, operand]) => {
        if (name === 'not') return [name, inner(operand)];
        if (name === 'and' || name === 'or') return [name, Array.isArray(operand) ? operand.map(inner) : operand];
        return [name, this.#keys(operand)];
      }),
    );
  }

  /** If an object contains a field under both names, its keys are left unchanged and one of them is rejected later. */
  #keys(object: unknown): unknown {
    if (!isObject(object)) return object;
    const entries = Object.entries(object).map(([path, value]) => [this.#path(path) as string, value] as const);
    return new Set(entries.map(([path]) => path)).size < entries.length ? object : Object.fromEntries(entries);
  }
}

const mapValues = (object: Fields, change: (value: unknown) => unknown): Fields =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
