import type { Connection } from '../../../sqlite.js';
import { headOf, notConfigured } from '../../external-text.js';
import {
  Bm25,
  contextOf,
  correctionAmong,
  correctionsOf,
  lookupTokens,
  maxMatches,
  noWords,
  rarestTokens,
  windowAround,
  withMargins,
} from '../../passages/hits.js';
import type {
  FirstPassage,
  PassageCount,
  PassageScope,
  PassageText,
  RankedPassage,
  UnembeddedPassage,
  WordFrequency,
  WordQuery,
  WordScope,
  WordStatistics,
} from '../../passages/types.js';
import { type Column, type Layout, quoteIdentifier } from '../../schema.js';
import { promptWords, scopeOf, TokenFinder, termIn } from '../../words/ranking.js';
import { PassageFilter } from './passage-filter.js';
import { bodyOf, countTokens, isReference, partOf, type Reader } from './read.js';

/** A connector's field, as stored in the file. */
export interface KnownField {
  readonly number: number;
  readonly connector: number;
  readonly passages: number;
  readonly words: number;
  readonly column: Column;
}

interface Passage {
  readonly passage: number;
  readonly start: number;
  readonly end: number;
}

interface LoadedText extends Passage {
  readonly record: string;
  readonly connector: number;
  readonly words: number;
  readonly text: string;
  /** The whole text, if it is ranked as a whole. */
  readonly body: string | null;
}

type TextRow = [
  passage: number,
  record: string,
  connector: number,
  start: number,
  end: number,
  words: number,
  text: string,
  body: string | null,
];

/** Extra candidates for exact scoring: the index computes IDF over the whole table. */
const extraCandidates = 60;
/** Smaller counts are valid only while the file is unchanged. */
const minCachedCount = 1000;
const maxCachedCounts = 5000;
/** Maximum length, in characters, of a record list whose passages are looked up first. */
const maxShortList = 50_000;

/** Reads passages and ranks them lexically. */
export class PassageReader {
  readonly #connection: Connection;
  readonly #reader: Reader;
  readonly #layouts: readonly Layout[];
  /** Cached counts of tokens, with the file's version when they were computed. */
  readonly #counts = new Map<string, { readonly version: string; readonly totals: string; readonly count: number }>();

  constructor(connection: Connection, reader: Reader, layouts: readonly Layout[]) {
    this.#connection = connection;
    this.#reader = reader;
    this.#layouts = layouts;
  }

  words(layout: Layout, { connectorId, fields }: WordScope, prompt: string): WordStatistics[] {
    return this.#connection.readTransaction(() => {
      const known = fields.map((name) => this.field(layout, connectorId, name));
      const words = promptWords(prompt).map(({ word, tokens }) => {
        const found = known.map((field) => (field ? this.#foundOf(field, tokens) : []));
        return { word, found, isKnown: found.some((tokens) => tokens.length > 0) };
      });
      return known.map((field, index) => {
        if (!field) return noWords;
        const frequencies = words.map(({ word, found, isKnown }): WordFrequency => {
          const own = found[index]!;
          // A word found in another field is not misspelled, and looking for the closest match is slow.
          return isKnown ? { found: own } : { found: own, near: this.#corrected(field, word) };
        });
        return { passages: field.passages, tokens: field.words, frequencies };
      });
    });
  }

  /** Tokens that occur in a field's passages, and how many passages contain each. */
  #foundOf(field: KnownField, tokens: readonly string[]): Array<readonly [string, number]> {
    const version = this.#connection.version();
    const counts = tokens.map((token) => [token, this.#countPassages(field, token, version)] as const);
    return counts.filter(([, count]) => count > 0);
  }

  lexical(
    layout: Layout,
    { connectorId, field: name, condition, limit }: PassageScope,
    query: WordQuery,
  ): RankedPassage[] {
    return this.#connection.readTransaction(() => {
      const field = this.field(layout, connectorId, name);
      const tokens = query.frequencies.map(([token]) => token);
      const frequencies = new Map(field ? this.#foundOf(field, tokens) : []);
      if (!field || frequencies.size === 0) return [];
      const filter = condition && new PassageFilter(this.#connection, this.#reader, layout, field.connector, condition);
      const matching = (tokens: readonly string[]) => {
        const rank = (count: number, rids?: string) => this.#matching(field.number, tokens, count, rids);
        return filter ? filter.best(candidateCount, rank) : rank(candidateCount);
      };
      const lookup = lookupTokens(frequencies, field.passages);
      const indexTokens = rarestTokens(new Map(lookup.map((token) => [token, frequencies.get(token)!])));
      // FTS5 gives every word in more than half of the rows the same weight.
      const frequent = indexTokens.every((token) => frequencies.get(token)! > field.passages / 3);
      const candidateCount = limit + (frequent ? 8 * extraCandidates : extraCandidates);
      let candidates = matching(indexTokens);
      if (candidates.length < limit && indexTokens.length < frequencies.size) {
        // For frequent words, only the newest passages are examined, so passages found earlier may be missing.
        candidates = [...new Set([...candidates, ...matching([...frequencies.keys()])])];
      }
      const bm25 = new Bm25(query);
      const finder = new TokenFinder(tokens);
      const found = this.#texts(layout, field.column, candidates);
      const external = found.filter(({ text }) => isReference(text)).map(({ passage }) => passage);
      const countsOf = countTokens(this.#connection, field.number, [...frequencies.keys()], external);
      return found
        .map(({ passage, record, text, body, words }) => {
          const counts = countsOf.get(passage);
          const terms = counts ? { counts, length: words } : finder.termsOf(field.column, body ?? text, text);
          return { passage, record, score: bm25.score(terms), terms };
        })
        .sort((one, other) => other.score - one.score || one.passage - other.passage)
        .slice(0, limit);
    });
  }

  first(layout: Layout, connectorId: string, name: string, records: readonly string[]): FirstPassage[] {
    return this.#connection.readTransaction(() => {
      const field = this.field(layout, connectorId, name);
      if (!field) return [];
      return this.#connection.all<FirstPassage>(
        `select * from (
            select (select min(passage) from passages where field = ? and rid = r.rid) as passage, r.id as record
            from ${quoteIdentifier(layout.table)} r where r.connector = ? and r.id in (select value from json_each(?)))
          where passage is not null`,
        [field.number, field.connector, JSON.stringify(records)],
      );
    });
  }

  read(layout: Layout, connectorId: string, passages: readonly number[], size: number): PassageText[] {
    return this.#connection.readTransaction(() =>
      layout.semantic.flatMap((column) => {
        const field = this.field(layout, connectorId, column.field);
        if (!field) return [];
        const body = bodyOf(column);
        // The unary plus keeps SQLite from scanning the field's passages while it has no statistics.
        const rows = this.#connection.all<
          Passage & { record: string; rid: number; length: number; attribution: string | null }
        >(
          `select p.passage, r.id as record, r.rid, p."start", p."end", t.length, p.attribution
            from passages p join passage_texts t on t.field = p.field and t.rid = p.rid
              join ${quoteIdentifier(layout.table)} r on r.rid = p.rid
            where p.passage in (select value from json_each(?)) and +p.field = ?`,
          [JSON.stringify(passages), field.number],
        );
        return rows.map(({ passage, record, rid, start, end, length, attribution }): PassageText => {
          const window = windowAround({ start, end }, size, length);
          const margins = withMargins(window, length);
          const { text } = this.#connection.get<{ text: string }>(
            `select ${partOf(body, '?', '?')} as text from passage_texts t join ${quoteIdentifier(layout.table)} r on r.rid = t.rid
              where t.field = ? and t.rid = ?`,
            [margins.start + 1, margins.end - margins.start, field.number, rid],
          )!;
          const external = { reference: text, read: margins, window, passage: { start, end } };
          return {
            passage,
            record,
            ...(isReference(text)
              ? { context: notConfigured, before: 0, external }
              : contextOf(text, margins, window, { start, end })),
            attribution: attribution === null ? {} : (JSON.parse(attribution) as PassageText['attribution']),
          };
        });
      }),
    );
  }

  unembedded(embedder: string, limit: number): UnembeddedPassage[] {
    return this.#connection.readTransaction(() => {
      const known = this.#connection.get<{ number: number; done: number }>(
        'select number, done from embedders where id = ?',
        [embedder],
      );
      const rows = this.#connection.all<{ passage: number; entity: string; code: string }>(
        `select p.passage, f.entity, f.field as code from passages p join passage_fields f on f.number = p.field
          where p.passage > ? and f.entity is not null
            and not exists (select 1 from vectors v where v.passage = p.passage and v.embedder = ?)
          order by p.passage limit ?`,
        [known?.done ?? 0, known?.number ?? 0, limit],
      );
      const texts = new Map<number, UnembeddedPassage>();
      for (const layout of this.#layouts) {
        for (const column of layout.semantic) {
          const own = rows.filter(({ entity, code }) => entity === layout.table && code === column.code);
          const numbers = own.map(({ passage }) => passage);
          for (const { passage, text, start, end, connector } of this.#texts(layout, column, numbers)) {
            if (!isReference(text)) {
              texts.set(passage, { passage, text });
              continue;
            }
            const { connectorId } = this.#connection.get<{ connectorId: string }>(
              'select connector_id as connectorId from connectors where number = ?',
              [connector],
            )!;
            texts.set(passage, { passage, text: headOf(text), external: { connectorId, reference: text, start, end } });
          }
        }
      }
      return rows.flatMap(({ passage }) => texts.get(passage) ?? []);
    });
  }

  count(layout: Layout, connectorId: string, name: string, embedder: string | undefined): PassageCount {
    return this.#connection.readTransaction(() => {
      const field = this.field(layout, connectorId, name);
      if (!field) return { passages: 0, embedded: 0 };
      const embedded =
        embedder !== undefined &&
        this.#connection.get<{ passages: number }>(
          'select passages from embedded where field = ? and embedder = (select number from embedders where id = ?)',
          [field.number, embedder],
        );
      return { passages: field.passages, embedded: embedded ? embedded.passages : 0 };
    });
  }

  /** Looks up a field that has or had passages, within a transaction. */
  field(layout: Layout, connectorId: string, name: string): KnownField | undefined {
    const column = layout.semantic.find(({ field }) => field === name);
    const row =
      column &&
      this.#connection.get<Omit<KnownField, 'column'>>(
        `select f.number, f.connector, f.passages, f.words
          from connectors c join passage_fields f on f.connector = c.number
          where c.connector_id = ? and f.entity = ? and f.field = ?`,
        [connectorId, layout.table, column.code],
      );
    return row && { ...row, column: column! };
  }

  /** Number of a field's passages that contain a token. */
  #countPassages({ number, passages, words }: KnownField, token: string, version: string): number {
    const term = termIn(number, token);
    const totals = `${passages} ${words}`;
    const cached = this.#counts.get(term);
    // While the totals are unchanged, the counts of frequent tokens are also unchanged, at least approximately.
    const isCurrent = (cached?.count ?? 0) > minCachedCount ? cached?.totals === totals : cached?.version === version;
    if (cached && isCurrent) return cached.count;
    const { count } = this.#connection.get<{ count: number }>(
      'select count(*) as count from passage_words where passage_words match ?',
      [`"${term}"`],
    )!;
    if (this.#counts.size > maxCachedCounts) this.#counts.clear();
    this.#counts.set(term, { version, totals, count });
    return count;
  }

  #corrected(field: KnownField, word: string): NonNullable<WordFrequency['near']> {
    const vocabulary = this.#reader.vocabularyOf(scopeOf(field.connector, field.column));
    const groups = correctionsOf(word, vocabulary);
    const known = new Map(this.#foundOf(field, groups.flat()));
    return correctionAmong(groups, (token) => known.get(token) ?? 0);
  }

  /** A field's best passages that contain any of the tokens, among the listed record numbers or among all records. */
  #matching(field: number, tokens: readonly string[], limit: number, rids?: string): number[] {
    const query = tokens.map((token) => `"${termIn(field, token)}"`).join(' OR ');
    const test =
      rids && rids.length <= maxShortList
        ? '+w.rowid in (select passage from passages where field = ? and rid in (select value from json_each(?)))'
        : '(select rid from passages where passage = w.rowid and field = ?) in (select value from json_each(?))';
    // Words this frequent carry little information, and the index reads all their entries: the newest passages suffice.
    const newest = `select w.rowid as passage, bm25(passage_words) as rank from passage_words w
      where w.passage_words match ? ${rids ? `and ${test}` : ''} order by w.rowid desc limit ${maxMatches}`;
    const values = [query, ...(rids ? [field, rids] : []), limit];
    return this.#connection
      .all<{ passage: number }>(`select passage from (${newest}) order by rank limit ?`, values)
      .map(({ passage }) => passage);
  }

  /** Passages of one field with their records and texts, or references to the texts. */
  #texts(layout: Layout, column: Column, passages: readonly number[]): LoadedText[] {
    if (passages.length === 0) return [];
    // Returned as a single string, which is faster to read than rows.
    const { found } = this.#connection.get<{ found: string }>(
      `select json_group_array(json_array(p.passage, r.id, r.connector, p."start", p."end", p.words,
          ${partOf(bodyOf(column), `p."start" + 1`, `p."end" - p."start"`)}, ${column.about ? 't.body' : 'null'})) as found
        from passages p join passage_texts t on t.field = p.field and t.rid = p.rid
          join ${quoteIdentifier(layout.table)} r on r.rid = p.rid
        where p.passage in (select value from json_each(?))`,
      [JSON.stringify(passages)],
    )!;
    return (JSON.parse(found) as TextRow[]).map(([passage, record, connector, start, end, words, text, body]) => {
      return { passage, record, connector, start, end, words, text, body };
    });
  }
}
