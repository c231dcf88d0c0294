import { setTimeout as wait } from 'node:timers/promises';
import type { Condition, SearchPlan } from '../../plan.js';
import { identifier, type Layout, quoteIdentifier } from '../../schema.js';
import {
  type CompositeSpec,
  compositesFor,
  helpfulTo,
  type IndexSpec,
  isStandard,
  maxComposites,
  maxOwn,
  orderOf,
  specOf,
} from '../../search-indexes.js';
import type { ConnectionPool, RunStatement } from './connection.js';
import { areIndexable, type IsOrdered, mayBeLong } from './dialect.js';
import { IndexBuilder } from './index-builder.js';
import { compositeDefinition, nullsDefinition, orderDefinitions, plainValue } from './index-definitions.js';

/** Arbitrary, but the same in every process. */
const buildLockId = 711_400_174;
const lockIntervalMs = 100;
/** How long searches wait for a build, which any open transaction can delay; it continues in the background. */
const maxWaitMs = 60_000;

/** Suffixes of index names; `long` is the second index for a sort order. */
const suffixes = { order: ':order', nulls: ':nulls', composite: ':composite', long: ':long' } as const;

const nameOf = ({ table }: Layout, { kind, ref, by }: IndexSpec, suffix: string = suffixes[kind]): string => {
  const [own, order] = [ref, by].map((one) => one && [one.column.field, ...one.path].join('.'));
  return `${identifier(`${table}.${own}${order === undefined ? '' : ` by ${order}`}`, suffix.length)}${suffix}`;
};

/**
 * The index in which the records that match a condition are adjacent; unlike in SQLite, this includes values inside
 * objects.
 */
export function specFor(condition: Condition): IndexSpec | undefined {
  if (condition.test !== 'among' || condition.ref.path.length === 0) return specOf(condition);
  return areIndexable(condition.ref, condition.values) ? orderOf(condition.ref) : undefined;
}

/** The indexes of a table that a search could use. */
export class TableIndexes {
  readonly #layout: Layout;
  readonly #plan: SearchPlan | undefined;
  readonly #names: readonly string[];

  constructor(layout: Layout, plan?: SearchPlan, names: readonly string[] = []) {
    this.#layout = layout;
    this.#plan = plan;
    this.#names = names;
  }

  has(spec: IndexSpec): boolean {
    return isStandard(spec) || this.#names.includes(nameOf(this.#layout, spec));
  }

  /** Whether an index sorts by a field or path. */
  readonly isOrdered: IsOrdered = (ref) => {
    const spec = orderOf(ref);
    return spec !== undefined && this.has(spec);
  };

  /** Whether an index built for searches can find the records that match a condition. */
  readonly serves = (condition: Condition): boolean => {
    if (condition.test !== 'among' || condition.values.includes(null)) return false;
    if (!areIndexable(condition.ref, condition.values)) return false;
    const spec = specFor(condition);
    return spec !== undefined && !isStandard(spec) && this.has(spec);
  };

  /** Indexes that would help this search and may be built. */
  get missing(): IndexSpec[] {
    if (!this.#plan) return [];
    const missing = helpfulTo(this.#plan, (spec) => this.has(spec), specFor).filter((spec) => !this.has(spec));
    const names = new Set(missing.map((spec) => nameOf(this.#layout, spec)));
    return names.size + this.#names.filter((name) => !isComposite(name)).length <= maxOwn ? missing : [];
  }

  /** Composite indexes that this search could be read from and that may be built, unless the table has one of them. */
  get missingComposites(): CompositeSpec[] {
    const all = compositesOf(this.#plan, (spec) => this.has(spec));
    const isFull = this.#names.filter(isComposite).length >= maxComposites;
    return isFull || all.some(({ spec }) => this.has(spec)) ? [] : all;
  }
}

const isComposite = (name: string): boolean => name.endsWith(suffixes.composite);

/** The composite indexes for a search, which contain no long values, and only fields that have statistics. */
const compositesOf = (plan: SearchPlan | undefined, has: (spec: IndexSpec) => boolean): CompositeSpec[] =>
  compositesFor(plan ?? {}, has).filter(
    ({ condition: { ref, values }, spec }) => ref.path.length === 0 && !mayBeLong(spec.by) && areIndexable(ref, values),
  );

/** Names of a table's complete indexes built for searches. */
async function ownNames(query: RunStatement, { table }: Layout): Promise<string[]> {
  const rows = await query<{ name: string }>(
    `select relname::text as name from pg_index join pg_class on pg_class.oid = indexrelid
      where indrelid = to_regclass($1) and indisvalid and relname ~ '(${suffixes.order}|${suffixes.nulls}|${suffixes.composite})$'`,
    [quoteIdentifier(table)],
  );
  return rows.map(({ name }) => name);
}

/** Looks up the indexes that a search could use. */
export async function indexesFor(query: RunStatement, layout: Layout, plan: SearchPlan): Promise<TableIndexes> {
  // Fields that every table has an index for need no lookup.
  if (helpfulTo(plan, isStandard, specFor).length === 0 && compositesOf(plan, isStandard).length === 0)
    return new TableIndexes(layout);
  return new TableIndexes(layout, plan, await ownNames(query, layout));
}

/** Builds the indexes that searches need. */
export class SearchIndexes {
  readonly #pool: ConnectionPool;
  readonly #builder: IndexBuilder;
  /** Running builds, by name. */
  readonly #builds = new Map<string, Promise<unknown>>();
  /** Builds that failed, and would fail again on every search. */
  readonly #failed = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
    this.#builder = new IndexBuilder(pool, buildLockId);
  }

  /** Builds indexes, or waits for builds that are running. */
  async build(layout: Layout, specs: readonly IndexSpec[]): Promise<void> {
    const names = specs.map((spec) => nameOf(layout, spec));
    for (const [index, name] of names.entries()) {
      if (this.#failed.has(name)) continue;
      let build = this.#builds.get(name);
      if (!build) {
        this.#last = this.#last.then(() => this.#buildOne(layout, specs[index]!, name));
        build = Promise.race([this.#last, wait(maxWaitMs, undefined, { ref: false })]);
        this.#builds.set(name, build);
      }
      await build;
    }
  }

  /** Searches continue without an index that cannot be built, for example because the role is not allowed to. */
  async #buildOne(layout: Layout, spec: IndexSpec, name: string): Promise<void> {
    const isOrder = spec.kind === 'order';
    const [first, long] = spec.by
      ? [compositeDefinition(spec.ref, spec.by)]
      : isOrder
        ? orderDefinitions(spec.ref)
        : [nullsDefinition(spec.ref)];
    try {
      // Other searches may have had theirs built in the meantime.
      const names = await this.#pool.readTransaction((query) => ownNames(query, layout));
      const alike = names.filter((one) => isComposite(one) === isComposite(name));
      if (names.includes(name) || alike.length >= (spec.by ? maxComposites : maxOwn)) return;
      // Searches check only for the index that is built last.
      if (long !== undefined) await this.#create(nameOf(layout, spec, suffixes.long), layout, long);
      await this.#create(name, layout, first!);
      if (isOrder && spec.ref.path.length > 0) await this.#addStatistics(layout, spec, name);
    } catch {
      this.#failed.add(name);
    } finally {
      this.#builds.delete(name);
    }
  }

  /**
   * Until this runs, Postgres has no statistics for an expression, and it does not use a partial index's statistics for
   * estimates.
   */
  async #addStatistics({ table }: Layout, { ref }: IndexSpec, name: string): Promise<void> {
    await this.#pool.writeTransaction(async (query) => {
      const value = plainValue(ref);
      await query(
        `create statistics if not exists ${quoteIdentifier(name)} on ${value} from ${quoteIdentifier(table)}`,
      );
      await query(`analyze ${quoteIdentifier(table)}`);
    });
  }

  async #create(name: string, { table }: Layout, definition: string): Promise<void> {
    const on = `on ${quoteIdentifier(table)} ${definition}`;
    if (!this.#pool.withConnection) {
      await this.#pool.writeTransaction((query) => query(`create index if not exists ${quoteIdentifier(name)} ${on}`));
      return;
    }
    do {
      if (this.#builder.isClosed) throw new Error('The store has been closed.');
    } while (!(await this.#builder.build(name, on)) && (await wait(lockIntervalMs, true)));
  }

  close(): Promise<void> {
    return this.#builder.close();
  }
}
