import type { JsonSchema } from '../manifest/describe.js';
import { matchingForm } from './schema.js';

/** The page size parameter. */
export interface PageSize {
  readonly name: string;
  readonly maximum: number | undefined;
  readonly defaultSize: number | undefined;
}

/** Names that APIs use for the page size. */
const names = ['first', 'limit', 'page_size', 'pageSize'];

/** Finds the page size in the schema form that these parameters match. */
export function pageSizeOf(params: JsonSchema, given: Readonly<Record<string, unknown>>): PageSize | undefined {
  const form = matchingForm(params, given);
  for (const name of names) {
    const { type, maximum, default: defaultSize } = form.properties?.[name] ?? {};
    if (type !== 'integer') continue;
    return { name, maximum: maximum, defaultSize: typeof defaultSize === 'number' ? defaultSize : undefined };
  }
  return undefined;
}

/** Default page size for agents. */
const agentPageSize = 25;

/** Adds a page size suitable for a context window, unless the caller passed one. */
export function withPageSize(
  params: JsonSchema,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const size = pageSizeOf(params, given);
  if (!size || given[size.name] !== undefined || (size.defaultSize ?? agentPageSize + 1) <= agentPageSize) return given;
  return { ...given, [size.name]: Math.min(agentPageSize, size.maximum ?? agentPageSize) };
}

/** Default context size for agents' semantic searches. */
const agentContextSize = 300;

/** Adds a `context_size` suitable for a context window to a semantic search, unless the caller passed one. */
export function withContextSize(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { semantic } = given;
  if (typeof semantic !== 'object' || semantic === null || Array.isArray(semantic)) return given;
  return { ...given, semantic: { context_size: agentContextSize, ...semantic } };
}
