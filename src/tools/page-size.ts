import type { JsonSchema } from '../manifest/describe.js';
import { meantForm } from './schema.js';

/** The parameter that says how many records a page holds. */
export interface PageSize {
  readonly name: string;
  readonly most: number | undefined;
  readonly standard: number | undefined;
}

/** The names that APIs give it. */
const names = ['first', 'limit', 'page_size', 'pageSize'];

/** Looks for the page size in the form of the schema that these parameters are meant for. */
export function pageSizeOf(params: JsonSchema, given: Readonly<Record<string, unknown>>): PageSize | undefined {
  const meant = meantForm(params, given);
  for (const name of names) {
    const { type, maximum, default: standard } = meant.properties?.[name] ?? {};
    if (type !== 'integer') continue;
    return { name, most: maximum, standard: typeof standard === 'number' ? standard : undefined };
  }
  return undefined;
}

/** Records that a list gives an agent that does not say how many it wants. */
const agentPage = 25;

/** The parameters with a page size fit for a context window, where the caller has named none. */
export function withPageSize(
  params: JsonSchema,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const size = pageSizeOf(params, given);
  if (!size || given[size.name] !== undefined || (size.standard ?? agentPage + 1) <= agentPage) return given;
  return { ...given, [size.name]: Math.min(agentPage, size.most ?? agentPage) };
}
