import { describe, expect, test } from 'vitest';
import { evaluate, tableOf } from './evaluate.js';
import { type Question, questions } from './questions.js';

const about = (prompt: string, kind: string, field: string, ...relevant: Question['relevant']): Question => ({
  prompt,
  kind,
  type: 'granola',
  entity: 'notes',
  field,
  relevant,
});
const late = { id: 'n1', name: 'Weekly', grade: 2, quotes: ['The bank answers late', 'booked *twice*'] };
const price = { id: 'n2', name: 'Renewal', grade: 1, quotes: ['a decision on the price'] };
const three = [
  about('late bank', 'keyword', 'transcript', late, price),
  about('slow institute', 'rephrased', 'transcript', late),
  about('price', 'keyword', 'summary_markdown', { ...price, grade: 2 }),
];

describe('an evaluation', () => {
  test('scores 1 in every metric for a perfect search', async () => {
    const { rows } = await evaluate(async ({ relevant }) =>
      [...relevant].sort((one, other) => other.grade - one.grade).map(({ id }) => id),
    );
    for (const { mrr, ndcg, recall } of rows) expect([mrr, ndcg, recall]).toEqual([1, 1, 1]);
  });

  test('scores 0 in every metric for a search that finds nothing', async () => {
    const { answers, rows } = await evaluate(async () => []);
    expect(answers).toHaveLength(questions.length);
    for (const { mrr, ndcg, recall } of rows) expect([mrr, ndcg, recall]).toEqual([0, 0, 0]);
  });

  test('has means over all questions, by kind, by field, and by kind and field', async () => {
    const found: Record<string, string[]> = { 'late bank': ['n1', 'n2'], 'slow institute': ['x', 'n1'], price: [] };
    const { rows } = await evaluate(async ({ prompt }) => found[prompt]!, three);
    const means = rows.map(({ field, kind, questions: count, mrr }) => [field, kind, count, mrr]);
    expect(means).toEqual([
      [null, null, 3, 0.5],
      [null, 'keyword', 2, 0.5],
      [null, 'rephrased', 1, 0.5],
      ['notes.transcript', null, 2, 0.75],
      ['notes.transcript', 'keyword', 1, 1],
      ['notes.transcript', 'rephrased', 1, 0.5],
      ['notes.summary_markdown', null, 1, 0],
      ['notes.summary_markdown', 'keyword', 1, 0],
    ]);
  });

  test('counts a passage only if it contains the relevant quote', async () => {
    const passages = ['Morning, yes, I can hear you.', 'And then it is\n booked twice.'];
    const search = async () => passages.map((passage) => ({ id: 'n1', passage }));
    const { answers } = await evaluate(search, [three[1]!]);
    expect(answers[0]).toMatchObject({ rankedIds: ['', 'n1'], mrr: 0.5, recall: 1 });
    const first = await evaluate(async () => (await search()).slice(0, 1), [three[1]!]);
    expect(first.answers[0]).toMatchObject({ mrr: 0, ndcg: 0, recall: 0 });
  });

  test('is formatted as a Markdown table', async () => {
    const { rows } = await evaluate(async () => ['x', 'n1'], three.slice(1, 2));
    expect(tableOf(rows).split('\n').slice(1, 4)).toEqual([
      '|---|---|--:|--:|--:|--:|',
      '| all | all | 1 | 0.500 | 0.631 | 1.000 |',
      '| all | rephrased | 1 | 0.500 | 0.631 | 1.000 |',
    ]);
  });
});
