import type { Connection } from '../../../sqlite.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import { termIn, tokensOf } from '../../words/ranking.js';
import { isTruncated } from '../../words/terms.js';
import { matchQuery } from './dialect.js';

/** `user_version` of a file with nothing left to purge, such as a new one. */
const cleanVersion = 0;
/** Pages merged and terms looked up per step; other writes wait until the step is done. */
const pagesPerStep = 500;
const termsPerStep = 2000;

/** Vacuuming a larger file would block writes and shutdown for too long. */
const maxVacuumBytes = 64 * 2 ** 20;

const versionOf = (connection: Connection): number =>
  connection.get<{ user_version: number }>('pragma user_version')!.user_version;

/** Marks the indexes, within the deleting transaction, as still containing the deleted words. */
export function requestPurge(connection: Connection): void {
  connection.exec(`pragma user_version = ${versionOf(connection) + 1}`);
}

/** Marks the purge as complete. */
function markClean(connection: Connection): void {
  connection.exec(`pragma user_version = ${cleanVersion}`);
}

/** Call before deleting terms: readers treat a known number as a known term. */
export function retireTermNumbers(connection: Connection): void {
  connection.run(`insert or replace into terms (n, scope, term) select max(n) + 1, '', '' from terms`);
}

/** Merges a part of a full-text index; returns whether there is more to do. */
export function mergeIndex(connection: Connection, table: string, isMerging: boolean): boolean {
  const changes = () => connection.get<{ changes: number }>('select total_changes() as changes')!.changes;
  const before = changes();
  // A negative number starts a full merge, a positive one continues it.
  const pages = isMerging ? pagesPerStep : -pagesPerStep;
  connection.run(`insert into ${table} (${table}, rank) values ('merge', ?)`, [pages]);
  return changes() - before >= 2;
}

interface StoredTerm {
  readonly n: number;
  readonly scope: string;
  readonly term: string;
}

/**
 * Overwrites what deleted records left in the word indexes: FTS5 only marks entries as deleted until a merge, and the
 * vocabulary keeps every word it has ever seen.
 */
export class Purge {
  readonly #connection: Connection;
  readonly #layouts: readonly Layout[];
  /** `user_version` when the pass started; undefined if none is running. */
  #version: number | undefined;
  #tables: string[] = [];
  #isMerging = false;
  #lastTerm = 0;

  constructor(connection: Connection, layouts: readonly Layout[]) {
    this.#connection = connection;
    this.#layouts = layouts;
  }

  /** Runs one step; returns whether there is more to do. */
  step(): boolean {
    const isDone = this.#connection.writeTransaction(() => {
      const version = versionOf(this.#connection);
      if (version === cleanVersion) return undefined;
      if (this.#version === undefined) {
        this.#version = version;
        this.#tables = [...this.#layouts.map(({ words }) => words), 'passage_words'];
        this.#lastTerm = 0;
      }
      const [table] = this.#tables;
      if (table === undefined) return !this.#deleteUnusedTerms();
      if (!this.#merge(quoteIdentifier(table))) this.#tables.shift();
      return false;
    });
    if (!isDone) return isDone === false;
    this.#vacuum();
    return this.#connection.writeTransaction(() => {
      // More records may have been deleted in the meantime.
      const isClean = this.#version === versionOf(this.#connection);
      this.#version = undefined;
      if (isClean) markClean(this.#connection);
      return !isClean;
    });
  }

  /** Rewrites all pages: SQLite overwrites deleted cells, but not copies of them in a page's free space. */
  #vacuum(): void {
    const row = this.#connection.get<{ bytes: number }>(
      'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
    );
    if (row!.bytes <= maxVacuumBytes) this.#connection.exec('vacuum');
  }

  #merge(table: string): boolean {
    this.#isMerging = mergeIndex(this.#connection, table, this.#isMerging);
    return this.#isMerging;
  }

  #deleteUnusedTerms(): boolean {
    const tables = this.#layouts.map(({ table }) => table);
    const stored = this.#connection.all<{ name: string }>('select name from entities');
    // Words of entities that this process has not opened cannot be looked up.
    if (stored.some(({ name }) => !tables.includes(name))) return false;
    const terms = this.#connection.all<StoredTerm>(
      `select n, scope, term from terms where n > ? and scope <> '' order by n limit ?`,
      [this.#lastTerm, termsPerStep],
    );
    const unused = terms.filter((term) => !this.#isUsed(term));
    if (unused.length > 0) retireTermNumbers(this.#connection);
    for (const { n } of unused) this.#connection.run('delete from terms where n = ?', [n]);
    this.#lastTerm = terms.at(-1)?.n ?? this.#lastTerm;
    return terms.length === termsPerStep;
  }

  #isUsed({ scope, term }: StoredTerm): boolean {
    const end = scope.indexOf('z');
    const [connector, code] = [Number(scope.slice(0, end)), scope.slice(end + 1)];
    const isField = (column: { readonly code: string }) => column.code === code;
    const inColumn = this.#layouts.some(
      ({ columns, words }) => columns.some(isField) && this.#matches(words, `${scope}w${term}`),
    );
    if (inColumn) return true;
    const fields = this.#connection.all<{ number: number }>(
      'select number from passage_fields where connector = ? and field = ? and passages > 0',
      [connector, code],
    );
    // The tokens of a truncated word are unknown.
    if (isTruncated(term)) return fields.length > 0;
    const tokens = fields.length > 0 ? tokensOf(term) : [];
    return fields.some(({ number }) => tokens.some((token) => this.#matches('passage_words', termIn(number, token))));
  }

  #matches(table: string, term: string): boolean {
    const words = quoteIdentifier(table);
    const sql = `select 1 from ${words} where ${words} match ? limit 1`;
    return this.#connection.get(sql, [matchQuery(term)]) !== undefined;
  }
}
