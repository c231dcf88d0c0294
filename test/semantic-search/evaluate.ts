import { type Grades, mean, normalizedDiscountedGain, recall, reciprocalRank } from './metrics.js';
import { containsQuote, type Question, questions } from './questions.js';

/**
 * A record found by a search: its id, or its id and the passage shown.
 *
 * With a passage, the record counts as found only if the passage itself contains what makes the record relevant.
 */
export type SearchHit = string | { readonly id: string; readonly passage: string };

/** Quality of the results: MRR@10, nDCG@10 and recall@10. */
export interface Score {
  readonly mrr: number;
  readonly ndcg: number;
  readonly recall: number;
}

/** The result for one question. */
export interface Answer extends Score {
  readonly question: Question;
  /** Ids in order of rank; empty for a passage that does not contain the quote. */
  readonly rankedIds: readonly string[];
}

/** The mean over some questions: for one field, one kind, both, or all. */
export interface Row extends Score {
  readonly field: string | null;
  readonly kind: string | null;
  readonly questions: number;
}

/** The results for all questions. */
export interface Evaluation {
  readonly answers: readonly Answer[];
  /** All questions, each kind, each field, and each kind of each field. */
  readonly rows: readonly Row[];
}

/** Runs a search for each question, one after another, and scores its results. */
export async function evaluate(
  search: (question: Question) => Promise<readonly SearchHit[]>,
  questionSet: readonly Question[] = questions,
): Promise<Evaluation> {
  const answers: Answer[] = [];
  for (const question of questionSet) {
    const found = (await search(question)).map((one) => creditedId(question, one));
    const grades: Grades = new Map(question.relevant.map(({ id, grade }) => [id, grade]));
    answers.push({ question, rankedIds: found, ...scoreOf(found, grades) });
  }
  const fields = [...new Set(questionSet.map(fieldOf))];
  const kinds = [...new Set(questionSet.map(({ kind }) => kind))];
  const rows = [null, ...fields].flatMap((field) => [null, ...kinds].map((kind) => rowOf(answers, field, kind)));
  return { answers, rows: rows.filter((row) => row.questions > 0) };
}

/** The rows as a Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  const head = '| Field | Kind | Questions | MRR@10 | nDCG@10 | Recall@10 |\n|---|---|--:|--:|--:|--:|';
  const lines = rows.map((row) => {
    const measures = [row.mrr, row.ndcg, row.recall].map((value) => value.toFixed(3));
    return `| ${[row.field ?? 'all', row.kind ?? 'all', row.questions, ...measures].join(' | ')} |`;
  });
  return [head, ...lines].join('\n');
}

function creditedId({ relevant }: Question, found: SearchHit): string {
  if (typeof found === 'string') return found;
  const quotes = relevant.find(({ id }) => id === found.id)?.quotes;
  // An irrelevant record counts as found: its passage has no quote to contain.
  return !quotes || quotes.some((quote) => containsQuote(found.passage, quote)) ? found.id : '';
}

function scoreOf(found: readonly string[], grades: Grades): Score {
  return {
    mrr: reciprocalRank(found, grades),
    ndcg: normalizedDiscountedGain(found, grades),
    recall: recall(found, grades),
  };
}

function fieldOf({ entity, field }: Question): string {
  return `${entity}.${field}`;
}

function rowOf(answers: readonly Answer[], field: string | null, kind: string | null): Row {
  const own = answers.filter(
    ({ question }) => (field === null || fieldOf(question) === field) && (kind === null || question.kind === kind),
  );
  return {
    field,
    kind,
    questions: own.length,
    mrr: mean(own.map(({ mrr }) => mrr)),
    ndcg: mean(own.map(({ ndcg }) => ndcg)),
    recall: mean(own.map((answer) => answer.recall)),
  };
}
