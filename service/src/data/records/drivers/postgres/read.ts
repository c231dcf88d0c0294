import { Compiler } from '../../compile.js';
import { joinConditions, type Mark } from '../../dialect.js';
import type { RecordPage } from '../../driver.js';
import { externalLength } from '../../external-text.js';
import { maxPageCharacters } from '../../paging.js';
import { type Condition, requiredBy, type SearchPlan } from '../../plan.js';
import { keysOf, positionValues } from '../../positions.js';
import { onlyRank } from '../../relevance.js';
import { recordsIn, rowReader } from '../../rows.js';
import type { Layout } from '../../schema.js';
import { type IndexSpec, isSameSpec, maxExamined, maxSorted, minSearched } from '../../search-indexes.js';
import { TermLookups, vocabulariesFor } from '../../terms.js';
import { Vocabularies } from '../../words/vocabulary.js';
import type { RunStatement } from './connection.js';
import { postgresDialect, textAt } from './dialect.js';
import { joinKey, splitKey } from './inner-key.js';
import {
  columnsOf,
  type FoundRow,
  fetchFullRows,
  positionOf,
  type ReadContext,
  rowsOf,
  type SearchScope,
} from './page.js';
import { estimateRows, plannedRows } from './row-estimates.js';
import { enterConnector } from './row-security.js';
import { indexesFor, specFor, TableIndexes } from './search-indexes.js';
import {
  batchSize,
  evaluateTests,
  isCompared,
  requiredTests,
  type UndecidedTest,
  undecidedTests,
  wordMatcher,
} from './word-tests.js';

/** Row numbers of the records that pass tests evaluated earlier. */
type RecordsByTest = Map<UndecidedTest, readonly string[]>;

/** Maximum number of candidates tested in order before falling back to testing all of them. */
const maxTested = 3000;

/** Reads from Postgres and caches the vocabularies it has loaded. */
export class Reader {
  readonly #vocabularies = new Vocabularies();

  /**
   * Finds the records of a page, inside a transaction; or, unless this is the `final` attempt, returns the indexes to
   * build first because the search would examine too many records without them.
   */
  async search(
    query: RunStatement,
    layout: Layout,
    connectorId: string,
    { after, ...request }: SearchPlan,
    final: boolean,
  ): Promise<RecordPage | { readonly needed: readonly IndexSpec[] }> {
    const connector = await enterConnector(query, connectorId, layout);
    if (connector === undefined) return { records: [], count: 0, last: null, more: false };
    const plan: SearchPlan = {
      ...request,
      after: after && { ...after, values: request.ranks ? after.values : keysOf(after.values, request.sort, joinKey) },
    };
    const indexes = await indexesFor(query, layout, plan);
    const scope: SearchScope = { query, layout, connector, indexes };
    const needed = final ? [] : await this.#neededIndexes(scope, plan);
    if (needed.length > 0) return { needed };
    const found = plan.ranks ? await this.#findByRank(scope, plan, plan.ranks) : await this.#find(scope, plan);
    const read = rowReader(layout, plan.fields);
    const texts: string[] = [];
    for (let characters = 0; texts.length < Math.min(found.length, plan.limit) && characters < maxPageCharacters; ) {
      const text = read(found[texts.length]!);
      texts.push(text);
      characters += text.length + (text.includes('\\u0004') ? externalLength(text) : 0);
    }
    const last = found[texts.length - 1];
    return {
      records: recordsIn(`[${texts.join(',')}]`),
      count: texts.length,
      last: last
        ? {
            ...positionOf(last),
            values: plan.ranks ? [Number(last.rank)] : positionValues(positionOf(last).values, plan.sort, splitKey),
          }
        : null,
      more: found.length > texts.length,
    };
  }

  async #find(scope: SearchScope, plan: SearchPlan, known?: RecordsByTest): Promise<FoundRow[]> {
    return (
      (await this.#scanInOrder(scope, plan)) ??
      rowsOf(
        { ...scope, ...(await this.#compilerIn(scope, plan.condition, undefined, known)) },
        plan,
        plan.limit + 1,
        () => columnsOf(scope.layout, plan.fields),
      )
    );
  }

  async #findByRank(scope: SearchScope, plan: SearchPlan, ranks: readonly Condition[]): Promise<FoundRow[]> {
    const found: FoundRow[] = [];
    const known: RecordsByTest = new Map();
    const first = Number(plan.after?.values[0] ?? 0);
    for (let rank = first; rank < ranks.length && found.length <= plan.limit; rank++) {
      const rows = await this.#find(
        scope,
        {
          ...plan,
          condition: onlyRank(ranks, rank),
          // Even a full page has to know whether there are more.
          limit: Math.max(1, plan.limit - found.length),
          after: rank === first && plan.after ? { values: [], id: plan.after.id } : undefined,
        },
        known,
      );
      found.push(...rows.map((row) => ({ ...row, rank })));
    }
    return found;
  }

  /**
   * Builds the compiler for a condition after loading the vocabularies it needs; used for all matches, not for a page.
   */
  compilerFor(
    query: RunStatement,
    layout: Layout,
    connector: number,
    condition: Condition | undefined,
  ): Promise<Pick<ReadContext, 'dialect' | 'compiler'>> {
    return this.#compilerIn({ query, layout, connector, indexes: new TableIndexes(layout) }, condition);
  }

  async #compilerIn(
    scope: SearchScope,
    condition: Condition | undefined,
    isDeferred = (_: UndecidedTest): boolean => false,
    known?: RecordsByTest,
  ): Promise<Pick<ReadContext, 'dialect' | 'compiler' | 'lookups'>> {
    const { query, layout, connector, indexes } = scope;
    const lookups = await this.#lookupsFor(scope, condition);
    const tests = undecidedTests(condition, lookups);
    const dialect = postgresDialect(
      await evaluateTests(
        query,
        layout,
        connector,
        tests.filter((test) => !isDeferred(test)),
        lookups,
        known,
      ),
      tests.filter(isDeferred),
      indexes.isOrdered,
    );
    return { dialect, compiler: new Compiler(dialect, { lookups }), lookups };
  }

  async #lookupsFor({ query, connector, indexes }: SearchScope, condition: Condition | undefined) {
    if (condition) await this.loadVocabularies(query, connector, vocabulariesFor(condition, connector));
    return new TermLookups(connector, this.#vocabularies, undefined, indexes.serves);
  }

  /** Indexes to build because too many records would be examined without them. */
  async #neededIndexes(scope: SearchScope, plan: SearchPlan): Promise<readonly IndexSpec[]> {
    const { query, layout, connector, indexes } = scope;
    const { missing } = indexes;
    const isIndexed = missing.length === 0 && indexes.missingComposites.length === 0;
    const size = isIndexed ? 0 : await plannedRows(query, layout.table, '1 = 1', []);
    // If there is no estimate, the records are on other nodes.
    if (size === undefined || size < minSearched) return [];
    if (missing.length === 0) return this.#neededComposite(scope, plan, size);
    // Words are not tested here, because that may take longer than the search.
    const compiled = await this.#compilerIn(scope, plan.condition, () => true);
    // How many records the search examines if it starts from other conditions, or from terms.
    const others = requiredBy(plan.condition).filter((one) => !missing.some((spec) => isSameSpec(spec, specFor(one))));
    const values: unknown[] = [connector];
    const { sql } = compiled.compiler.filter({ test: 'all', parts: others }, (value) => `$${values.push(value)}`);
    const examined = await plannedRows(query, layout.table, joinConditions(['r.connector = $1', sql], 'and'), values);
    const estimate = await estimateRows(query, layout, connector, plan.condition, compiled.lookups);
    const scanLimit = maxExamined(plan.limit);
    if (examined === undefined) return [];
    if (Math.min(examined, estimate?.matching ?? Number.POSITIVE_INFINITY) <= scanLimit) return [];
    if (!plan.sort.every(({ ref }) => indexes.isOrdered(ref))) return missing;
    const context = { ...scope, ...compiled };
    const accessPath = { scanLimit };
    const found = await rowsOf(context, plan, plan.limit + 1, () => ['true'], { accessPath });
    return found.length > plan.limit ? [] : missing;
  }

  /** The most selective composite index, unless a page takes few records without it. */
  async #neededComposite(
    { query, layout, connector, indexes }: SearchScope,
    { limit }: SearchPlan,
    size: number,
  ): Promise<IndexSpec[]> {
    // The test of a text's length would make the estimate too low.
    const dialect = postgresDialect(new Map(), [], () => false);
    let [needed, fewest]: [IndexSpec | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const { condition, spec } of indexes.missingComposites) {
      const values: unknown[] = [connector];
      const test = dialect.among(condition.ref, condition.values, (value) => `$${values.push(value)}`);
      const rows = await plannedRows(query, layout.table, joinConditions(['r.connector = $1', test], 'and'), values);
      if (rows !== undefined && rows < fewest) [needed, fewest] = [spec, rows];
    }
    const examined = Math.min(fewest, ((limit + 1) * size) / fewest);
    return needed && examined > maxSorted(limit) ? [needed] : [];
  }

  /**
   * Fills a page by scanning records in order and testing each one's words, which usually touches only a few of the
   * matches. Undefined if no tests remain, the page is too large or too few records pass.
   */
  async #scanInOrder(scope: SearchScope, plan: SearchPlan): Promise<FoundRow[] | undefined> {
    const tests = requiredTests(plan.condition, await this.#lookupsFor(scope, plan.condition));
    if (tests.length === 0 || tests.some(isCompared) || 2 * plan.limit > batchSize) return undefined;
    const matchers = tests.map(wordMatcher);
    const compiled = await this.#compilerIn(scope, plan.condition, (test) => tests.includes(test));
    const context: ReadContext = { ...scope, ...compiled };
    const texts = (mark: Mark) => tests.map(({ ref }, index) => `${textAt(ref, mark)} as text${index}`);
    const found: FoundRow[] = [];
    let { after } = plan;
    let size = 4 * (plan.limit + 1);
    for (let tested = 0; tested < maxTested; ) {
      size = Math.min(Math.max(size, plan.limit + 1), batchSize);
      const enough = Math.max(plan.limit + 1 - found.length, size / 4);
      const rows = await rowsOf(context, { ...plan, after }, size, texts, { enough });
      found.push(
        ...rows.filter((row) =>
          matchers.every((holds, index) => {
            const text = row[`text${index}`];
            return typeof text === 'string' && holds(text);
          }),
        ),
      );
      if (found.length > plan.limit || rows.length < enough)
        return fetchFullRows(context, plan, found.slice(0, plan.limit + 1));
      after = positionOf(rows.at(-1)!);
      tested += rows.length;
      // Read twice as many as the match rate so far suggests.
      size = found.length === 0 ? 4 * size : Math.ceil((2 * (plan.limit + 1 - found.length) * tested) / found.length);
    }
    return undefined;
  }

  /** Brings vocabularies up to date with the database. */
  async loadVocabularies(query: RunStatement, connector: number, scopes: readonly string[]): Promise<Vocabularies> {
    for (const scope of scopes) {
      const vocabulary = this.#vocabularies.of(scope);
      const rows = await query<{ n: string | number; term: string }>(
        'select n, term from terms where connector = $1 and scope = $2 and n > $3 order by n',
        [connector, scope, vocabulary.newest],
      );
      // A concurrent search may load the same terms.
      const terms = rows.map(({ n, term }) => ({ n: Number(n), term }));
      if (terms.length > 0) vocabulary.learn(terms, terms.at(-1)!.n);
    }
    return this.#vocabularies;
  }
}
