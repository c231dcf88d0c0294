import type { Mark } from '../../dialect.js';
import { Bm25, correctionAmong, correctionsOf, maxMatches, noWords, rarestTokens } from '../../passages/hits.js';
import type { PassageTerms, RankedPassage, WordFrequency, WordQuery, WordStatistics } from '../../passages/types.js';
import { type PromptWord, promptWords, scopeOf } from '../../words/ranking.js';
import type { Vocabularies } from '../../words/vocabulary.js';
import type { RunStatement } from './connection.js';
import { lexeme } from './dialect.js';
import type { SearchScope } from './passage-scope.js';
import { fieldTerm } from './passage-terms.js';
import { ownRows } from './row-security.js';

/** Number of candidates that are reranked exactly. */
const rerankSize = 500;

interface Candidate {
  readonly passage: string;
  readonly record: string;
  readonly length: number;
  readonly tokens: readonly string[];
  readonly counts: readonly number[];
}

/** Ranks passages by the tokens of a query, inside a transaction. */
export async function rankByWords(
  query: RunStatement,
  searchScope: SearchScope,
  wordQuery: WordQuery,
): Promise<RankedPassage[]> {
  const found = await frequencies(
    query,
    searchScope,
    wordQuery.frequencies.map(([token]) => token),
  );
  if (found.size === 0) return [];
  const ranking = new Bm25(wordQuery);
  const rare = rarestTokens(found);
  let rows = await candidates(query, searchScope, ranking, rare, found);
  if (rows.length < searchScope.limit && rare.length < found.size) {
    rows = await candidates(query, searchScope, ranking, [...found.keys()], found);
  }
  return rows
    .map(({ passage, record, length, tokens, counts }) => {
      const terms: PassageTerms = { length, counts: tokens.map((token, index) => [token, counts[index]!]) };
      return { passage: Number(passage), record, score: ranking.score(terms), terms };
    })
    .sort((one, other) => other.score - one.score || one.passage - other.passage)
    .slice(0, searchScope.limit);
}

/** The most likely candidates that contain any of the tokens, with each passage's term frequencies. */
function candidates(
  query: RunStatement,
  searchScope: SearchScope,
  ranking: Bm25,
  lookupTokens: readonly string[],
  found: ReadonlyMap<string, number>,
): Promise<Candidate[]> {
  const { connector, field, table, filtered, limit } = searchScope;
  const average = searchScope.tokens / searchScope.passages;
  const values: unknown[] = [connector, field];
  const mark: Mark = (value) => `$${values.push(value)}`;
  const any = mark(`${fieldTerm(field)} & (${lookupTokens.map(lexeme).join(' | ')})`);
  const filter = searchScope.filter(mark);
  // Words this frequent carry little information and are slow to rank, so the newest passages suffice.
  const isBounded = lookupTokens.reduce((sum, token) => sum + found.get(token)!, 0) > maxMatches;
  const matching = `select p.number, p.record, p.length, p.terms from ${ownRows('passages')} p
    ${filtered ? `join ${ownRows(table)} r on r.connector = p.connector and r.rid = p.record` : ''}
    where p.connector = $1 and p.field = $2 and p.terms @@ ${any}::tsquery ${filter}
    ${isBounded ? `order by p.number desc limit ${maxMatches}` : ''}`;
  // Postgres ranking ignores inverse document frequency; weighting by it gives nearly the exact order.
  const rank = [...found.keys()].map((token) => {
    const weight = ranking.score({ counts: [[token, 1]], length: average });
    return `${mark(weight)}::real * ts_rank(p.terms, ${mark(lexeme(token))}::tsquery)`;
  });
  return query<Candidate>(
    `select best.number::text as passage, r.id as record, best.length, found.tokens, found.counts from (
      select * from (${matching}) p order by ${rank.join(' + ')} desc, p.number limit ${Math.max(rerankSize, limit)}
    ) best join ${ownRows(table)} r on r.connector = $1 and r.rid = best.record cross join lateral (
      select array_agg(lexeme) as tokens, array_agg(cardinality(positions)) as counts
        from unnest(best.terms) where lexeme = any(${mark([...found.keys()])}::text[])
    ) found`,
    values,
  );
}

/** Field statistics for a prompt's words; a word that no passage contains is replaced by its closest match. */
export async function statisticsOf(
  query: RunStatement,
  fields: ReadonlyArray<SearchScope | undefined>,
  prompt: string,
  loadVocabularies: (connector: number, scope: string) => Promise<Vocabularies>,
): Promise<WordStatistics[]> {
  const words = promptWords(prompt);
  const all = words.flatMap(({ tokens }) => tokens);
  const found: Array<ReadonlyMap<string, number>> = [];
  for (const field of fields) found.push(field ? await frequencies(query, field, all) : new Map());
  const unknown = words.filter(({ tokens }) => !tokens.some((token) => found.some((own) => own.has(token))));
  const statistics: WordStatistics[] = [];
  for (const [index, field] of fields.entries()) {
    if (!field) {
      statistics.push(noWords);
      continue;
    }
    const own = found[index]!;
    const near = unknown.length > 0 ? await corrections(query, field, unknown, loadVocabularies) : new Map();
    const ofWords = words.map((word): WordFrequency => {
      const known = word.tokens.flatMap((token) => (own.has(token) ? [[token, own.get(token)!] as const] : []));
      return { found: known, near: near.get(word) ?? [] };
    });
    statistics.push({ passages: field.passages, tokens: field.tokens, frequencies: ofWords });
  }
  return statistics;
}

async function corrections(
  query: RunStatement,
  searchScope: SearchScope,
  unknown: readonly PromptWord[],
  loadVocabularies: (connector: number, scope: string) => Promise<Vocabularies>,
): Promise<Map<PromptWord, NonNullable<WordFrequency['near']>>> {
  const scope = scopeOf(searchScope.connector, searchScope.column);
  const vocabulary = (await loadVocabularies(searchScope.connector, scope)).of(scope);
  const nearest = unknown.map(({ word }) => correctionsOf(word, vocabulary));
  const known = await frequencies(query, searchScope, nearest.flat(2));
  const near = (groups: string[][]) => correctionAmong(groups, (token) => known.get(token) ?? 0);
  return new Map(nearest.map((groups, index) => [unknown[index]!, near(groups)]));
}

async function frequencies(
  query: RunStatement,
  { connector, field }: SearchScope,
  tokens: readonly string[],
): Promise<Map<string, number>> {
  if (tokens.length === 0) return new Map();
  const rows = await query<{ term: string; passages: string | number }>(
    'select term, passages from passage_terms where connector = $1 and field = $2 and term = any($3::text[]) and passages > 0',
    [connector, field, [...new Set(tokens)]],
  );
  return new Map(rows.map(({ term, passages }) => [term, Number(passages)]));
}
