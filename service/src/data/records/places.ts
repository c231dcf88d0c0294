import { type Dialect, joinConditions, type Mark } from './dialect.js';
import type { Condition, FieldRef } from './plan.js';

/** What the records of a connector have at a path inside an object field. */
export interface Place {
  /** Whether any record has the path, be it with a null. */
  readonly found: boolean;
  /** How many names of the path lead to what some record has. */
  readonly depth: number;
  /** Names that objects have there. */
  readonly names: readonly string[];
  /** Whether an array stands there. */
  readonly isArray: boolean;
}

/** What there is where no records are. */
export const noPlace: Place = { found: false, depth: 0, names: [], isArray: false };

/** A statement to run, and its values. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Statements one after the other, each given what the one before it found. */
export type Statements<Result> = Generator<Statement, Result, ReadonlyArray<Readonly<Record<string, unknown>>>>;

/** What statements are written for: the records of one connector as rows `r`. */
export interface RecordSource {
  readonly dialect: Dialect;
  /** Writes the source of the records that meet a condition, and the condition. */
  readonly matching: (
    condition: Condition | undefined,
    mark: Mark,
  ) => { readonly from: string; readonly where: string };
  readonly table: string;
  /** Tells the connector's records; takes the first of the values, its number. */
  readonly where: string;
  readonly connector: number;
  /** Paths inside objects that the manifest names. */
  readonly known: readonly string[];
  /** What stands for a value at a place in the list. */
  readonly mark: (place: number) => string;
}

/** So many records are asked for their names. */
const maxSampled = 1000;
const maxNames = 200;

/** Begins a statement: its values, and what puts more of them in. */
export function beginStatement({ connector, mark }: Pick<RecordSource, 'connector' | 'mark'>): {
  values: unknown[];
  mark: Mark;
} {
  const values: unknown[] = [connector];
  return { values, mark: (value) => mark(values.push(value)) };
}

/** Looks up what records have at a path inside an object field. */
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
    ...{ found: false, depth, names: names.map(({ name }) => String(name)) },
    isArray: names.length === 0 && (yield* has(depth, "= 'array'")),
  };
}
