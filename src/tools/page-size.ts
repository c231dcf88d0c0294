import type { JsonSchema } from '../manifest/describe.js';
import { matchingForm } from './schema.js';

/** The parameter that says how many records a page holds. */
export interface PageSize {
  readonly name: string;
  readonly maximum: number | undefined;
  readonly defaultSize: number | undefined;
}

/** The names that APIs give it. */
const names = ['first', 'limit', 'page_size', 'pageSize'];

/** Looks for the page size in the form of the schema that these parameters are meant for. */
export function pageSizeOf(params: JsonSchema, given: Readonly<Record<string, unknown>>): PageSize | undefined {
  const form = matchingForm(params, given);
  for (const name of names) {
    const { type, maximum, default: defaultSize } = form.properties?.[name] ?? {};
    if (type !== 'integer') continue;
    return { name, maximum: maximum, defaultSize: typeof defaultSize === 'number' ? defaultSize : undefined };
  }
  return undefined;
}

/** Records that a list gives an agent that does not say how many it wants. */
const agentPageSize = 25;

/** The parameters with a page size fit for a context window, where the caller has named none. */
export function withPageSize(
  params: JsonSchema,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const size = pageSizeOf(params, given);
  if (!size || given[size.name] !== undefined || (size.defaultSize ?? agentPageSize + 1) <= agentPageSize) return given;
  return { ...given, [size.name]: Math.min(agentPageSize, size.maximum ?? agentPageSize) };
}

/** Characters around a hit of a search by meaning, for an agent that does not say how many it wants. */
const agentContextSize = 300;

/** The parameters of a search by meaning with a `context_size` fit for a context window, where the caller has named none. */
export function withContextSize(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { semantic } = given;
  if (typeof semantic !== 'object' || semantic === null || Array.isArray(semantic)) return given;
  return { ...given, semantic: { context_size: agentContextSize, ...semantic } };
}
