import { type Dialect, joinConditions, type Mark } from './dialect.js';
import type { Condition, FieldRef } from './plan.js';

/** What a connector's records contain at a path inside an object field. */
export interface Place {
  /** Whether any record has the path, even with a null value. */
  readonly found: boolean;
  /** Number of leading path segments found in at least one record. */
  readonly depth: number;
  /** Property names of the objects at that depth. */
  readonly names: readonly string[];
  /** Whether any record has an array at that depth. */
  readonly isArray: boolean;
}

/** A name that never occurs, used to look up which names exist. */
export const missingName = '?';

/** The result when there are no records. */
export const noPlace: Place = { found: false, depth: 0, names: [], isArray: false };

/** A SQL statement and its values. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** A sequence of statements, each of which receives the previous result. */
export type Statements<Result> = Generator<Statement, Result, ReadonlyArray<Readonly<Record<string, unknown>>>>;

/** The records of one connector, as rows `r`. */
export interface RecordSource {
  readonly dialect: Dialect;
  /** Compiles the source and the condition that select the matching records. */
  readonly matching: (
    condition: Condition | undefined,
    mark: Mark,
  ) => { readonly from: string; readonly where: string };
  readonly table: string;
  /** Condition that selects the connector's records; the connector's number is the first value. */
  readonly where: string;
  readonly connector: number;
  /** Paths inside objects listed in the manifest. */
  readonly known: readonly string[];
  /** Placeholder for the value at a position. */
  readonly mark: (place: number) => string;
}

/** Maximum number of records sampled for property names. */
const maxSampled = 1000;
const maxNames = 200;

/** Starts a statement: returns its values and a function that binds more. */
export function beginStatement({ connector, mark }: Pick<RecordSource, 'connector' | 'mark'>): {
  values: unknown[];
  mark: Mark;
} {
  const values: unknown[] = [connector];
  return { values, mark: (value) => mark(values.push(value)) };
}

/** Looks up what records contain at a path inside an object field. */
export function* lookUpPlace(source: RecordSource, { column, path }: FieldRef): Statements<Place> {
  const { dialect, table, where } = source;
  const at = (depth: number): FieldRef => ({ column, path: path.slice(0, depth) });
  function* has(depth: number, condition: string): Statements<boolean> {
    const { values, mark } = beginStatement(source);
    const test = joinConditions([where, `${dialect.typeAt(at(depth), mark)} ${condition}`], 'and');
    return (yield { sql: `select 1 as one from ${table} r where ${test} limit 1`, values }).length > 0;
  }
  if (yield* has(path.length, 'is not null')) return { found: true, depth: path.length, names: [], isArray: false };
  let depth = 0;
  while (yield* has(depth + 1, 'is not null')) depth += 1;
  const { values, mark } = beginStatement(source);
  const sampled = `select * from ${table} r where ${where} and ${dialect.typeAt(at(depth), mark)} = 'object' limit ${maxSampled}`;
  const names = yield {
    sql: `select distinct names.key as name from (${sampled}) r, ${dialect.namesAt(at(depth), mark)} order by 1 limit ${maxNames}`,
    values,
  };
  return {
    found: false,
    depth,
    names: names.map(({ name }) => String(name)),
    isArray: names.length === 0 && (yield* has(depth, "= 'array'")),
  };
}
