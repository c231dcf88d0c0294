import { ConnectorError, type ParameterIssue, suggestion } from 'agent-connectors';
import type { FieldRef } from './plan.js';
import type { Layout } from './schema.js';

/** Maximum faults per error, so that a malformed filter cannot cause a huge response. */
const maxFaults = 20;
const [maxNameLength, maxPathLength] = [100, 500];
/** With more fields than this, only the closest ones are listed, with a pointer to the full list. */
const maxListedFields = 12;

const truncate = (text: string, maxLength = maxNameLength) =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;

/** A path inside an object field, and its location in the parameters. */
export interface InnerPath {
  readonly at: string;
  readonly ref: FieldRef;
  /** Set if a test for array elements is applied to this field, which is an object: the element to find. */
  readonly element?: unknown;
}

/** Collects faults in search parameters. */
export class FaultCollector {
  readonly #issues: ParameterIssue[] = [];
  #fields: Layout | undefined;
  /** Paths inside objects, to be checked against the replica. */
  readonly innerPaths: InnerPath[] = [];

  /** Adds a fault; returns undefined, so that a checker can return its result. */
  add(path: string, message: string): undefined {
    if (this.#issues.length >= maxFaults) return;
    // Every name takes up at least one of the characters shown.
    const names = path.split('.', maxPathLength).map((name) => truncate(name));
    this.#issues.push({ path: truncate(names.join('.'), maxPathLength), message });
  }

  unknownField(path: string, layout: Layout, at: string): undefined {
    const names = layout.columns.map(({ field }) => field);
    this.#fields = layout;
    this.add(at, `is not a searchable field. ${suggestion(path, names, 'fields', maxListedFields)}`.slice(0, -1));
  }

  unknownName(name: string, known: readonly string[], at: string): undefined {
    this.add(at, `is unknown. ${suggestion(name, known, 'names')}`.slice(0, -1));
  }

  /** Throws if there are any faults. */
  throwIfAny({ entity }: Layout): void {
    if (this.#issues.length === 0) return;
    const where = `${entity}.context_store_search`;
    const list = this.#issues.map(({ path, message }) => (path ? `${path} ${message}` : message)).join('; ');
    const fields = this.#fields?.columns.length ?? 0;
    throw new ConnectorError('invalid_params', `${where}: ${list}.`, {
      issues: this.#issues,
      hint: fields > maxListedFields ? `Section "actions.${where}" of the docs lists all ${fields} fields.` : undefined,
      docs: `actions.${where}`,
    });
  }
}

/** Resolves a field path. */
export function fieldRef(
  path: unknown,
  at: string,
  layout: Layout,
  faults: FaultCollector,
  { throughArrays = false } = {},
): FieldRef | undefined {
  if (typeof path !== 'string') return faults.add(at, 'must be a string');
  if (path.length > maxPathLength) return faults.add(at, `has more than ${maxPathLength} characters`);
  const [head, ...inner] = path.split('.');
  const column = layout.columns.find(({ field }) => field === head);
  const reaches = inner.length === 0 || column?.kind === 'object' || column?.kind === 'array';
  if (!column || !reaches) return faults.unknownField(path, layout, at);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no name contains them, and no database accepts them.
  if (inner.some((name) => name === '' || /["\\\u0000-\u001f]/.test(name))) {
    return faults.add(at, 'has an invalid part');
  }
  if (inner.length > 0 && column.kind === 'array' && !throughArrays) {
    return faults.add(at, 'points inside an array; use contains or any to search array elements');
  }
  const ref = { column, path: inner };
  if (inner.length > 0 && column.kind === 'object') faults.innerPaths.push({ at, ref });
  return ref;
}
