import { type Layout, quoteIdentifier } from '../../schema.js';
import { isTruncated, termIn, tokensOf } from '../../words.js';
import type { Connection } from './connection.js';
import { matchQuery } from './dialect.js';

/** Value of `user_version` when nothing that was removed is left; a file of an earlier release has 0. */
const cleanVersion = 1;
/** Pages that one step merges, and terms that it looks up: other writes wait for a step. */
const pagesPerStep = 500;
const termsPerStep = 2000;

/** A larger file would hold up other writes, and a stop, for too long. */
const maxVacuumBytes = 64 * 2 ** 20;

const versionOf = (connection: Connection): number =>
  connection.get<{ user_version: number }>('pragma user_version')!.user_version;

/** Notes, within the transaction that removes records, that the indexes still contain their words. */
export function requestPurge(connection: Connection): void {
  connection.exec(`pragma user_version = ${Math.max(cleanVersion, versionOf(connection)) + 1}`);
}

/** Notes that nothing was removed, or that nothing is left of it. */
export function markClean(connection: Connection): void {
  connection.exec(`pragma user_version = ${cleanVersion}`);
}

/** To be called before terms are deleted: readers take a number that they have seen before for a term that they know. */
export function retireTermNumbers(connection: Connection): void {
  connection.run(`insert or replace into terms (n, scope, term) select max(n) + 1, '', '' from terms`);
}

interface StoredTerm {
  readonly n: number;
  readonly scope: string;
  readonly term: string;
}

/**
 * Overwrites what removed records left in the indexes of words: FTS5 only marks their entries as deleted until it merges
 * them, and the vocabulary keeps every word that any record has contained.
 */
export class Purge {
  readonly #connection: Connection;
  readonly #layouts: readonly Layout[];
  /** Version of the file when the pass began; none runs where left out. */
  #version: number | undefined;
  #tables: string[] = [];
  #isMerging = false;
  #lastTerm = 0;

  constructor(connection: Connection, layouts: readonly Layout[]) {
    this.#connection = connection;
    this.#layouts = layouts;
  }

  /** Does one step; tells whether there is more to do. */
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
      // More may have been removed meanwhile.
      const isClean = this.#version === versionOf(this.#connection);
      this.#version = undefined;
      if (isClean) markClean(this.#connection);
      return !isClean;
    });
  }

  /** Writes all pages anew: SQLite overwrites what it deletes, but not copies of it between the rows of a page. */
  #vacuum(): void {
    const row = this.#connection.get<{ bytes: number }>(
      'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
    );
    if (row!.bytes <= maxVacuumBytes) this.#connection.exec('vacuum');
  }

  #merge(table: string): boolean {
    const changes = () => this.#connection.get<{ changes: number }>('select total_changes() as changes')!.changes;
    const before = changes();
    // A negative number begins a merge of everything, which positive ones continue.
    const pages = this.#isMerging ? pagesPerStep : -pagesPerStep;
    this.#connection.run(`insert into ${table} (${table}, rank) values ('merge', ?)`, [pages]);
    this.#isMerging = changes() - before >= 2;
    return this.#isMerging;
  }

  #deleteUnusedTerms(): boolean {
    const tables = this.#layouts.map(({ table }) => table);
    const stored = this.#connection.all<{ name: string }>('select name from entities');
    // Words of entities that are not open here cannot be looked up.
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
    // The tokens of a word that was cut off are unknown.
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
