import type { Mark } from '../../dialect.js';
import type { PassageScope } from '../../passages/types.js';
import type { Column, Layout } from '../../schema.js';
import type { RunStatement } from './connection.js';
import type { Reader } from './read.js';
import { enterConnector } from './row-security.js';

/** The passages of one field of a connector, and which of them to search. */
export interface SearchScope {
  readonly connector: number;
  readonly field: number;
  readonly column: Column;
  /** The table of the records. */
  readonly table: string;
  /** Number of passages, and the total number of tokens in them. */
  readonly passages: number;
  readonly tokens: number;
  /**
   * Writes the condition on records (rows named `r`), for appending to other conditions; empty if all records qualify.
   */
  readonly filter: (mark: Mark) => string;
  readonly filtered: boolean;
  readonly limit: number;
  /** The organization that searches. */
  readonly tenant: string;
}

/** Resolves a scope to its tables; undefined if it has no passages. */
export async function resolveScope(
  query: RunStatement,
  reader: Reader,
  layout: Layout,
  { connectorId, field, condition, limit, requester = connectorId }: PassageScope,
): Promise<SearchScope | undefined> {
  const connector = await enterConnector(query, connectorId, layout);
  if (connector === undefined) return undefined;
  const [row] = await query<{ field: number; passages: string; tokens: string }>(
    `select number as field, passages, tokens from passage_fields
      where connector = $1 and entity = $2 and field = $3 and passages > 0`,
    [connector, layout.table, field],
  );
  if (!row) return undefined;
  const { compiler } = await reader.compilerFor(query, layout, connector, condition);
  return {
    connector,
    field: row.field,
    column: layout.semantic.find((one) => one.field === field)!,
    table: layout.table,
    passages: Number(row.passages),
    tokens: Number(row.tokens),
    filter: (mark) => (condition ? `and (${compiler.filter(condition, mark).sql})` : ''),
    filtered: condition !== undefined,
    limit,
    tenant: typeof requester === 'string' ? requester : requester.tenant,
  };
}
