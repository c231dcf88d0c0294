import type { Mark } from '../../../dialect.js';
import type { PassageScope } from '../../../passages/types.js';
import type { Layout } from '../../../schema.js';
import type { Query } from '../connection.js';
import type { Reader } from '../read.js';
import { enterConnector } from '../row-security.js';

/** The passages of one field of one connector, and which of them are searched. */
export interface SearchScope {
  readonly connector: number;
  readonly field: number;
  /** Table of the records. */
  readonly table: string;
  /** How many passages there are, and how many tokens in all of them. */
  readonly passages: number;
  readonly tokens: number;
  /** Writes the condition on records, each a row named `r`, behind others; empty where all count. */
  readonly filter: (mark: Mark) => string;
  readonly filtered: boolean;
  readonly limit: number;
}

/** Finds out what a scope is in the tables; nothing where there are no passages. */
export async function resolveScope(
  query: Query,
  reader: Reader,
  layout: Layout,
  { connectorId, field, condition, limit }: PassageScope,
): Promise<SearchScope | undefined> {
  const connector = await enterConnector(query, connectorId);
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
    table: layout.table,
    passages: Number(row.passages),
    tokens: Number(row.tokens),
    filter: (mark) => (condition ? `and (${compiler.filter(condition, mark).sql})` : ''),
    filtered: condition !== undefined,
    limit,
  };
}
