import { beforeAll, describe, expect, test } from 'vitest';
import { companyOptions, companySandbox } from './company.js';
import { containsQuote, kinds, type Question, questions, workspaceQuestions } from './questions.js';
import { companyTexts, type Text } from './texts.js';

const keyOf = ({ type, entity, field }: Question | Text, id: string) => [type, entity, field, id].join(' ');
const count = (names: readonly string[]) => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};
const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\d]{4,}/gu) ?? []);
const answersTo = ({ relevant }: Question) => relevant.filter(({ grade }) => grade === 2);

describe('the questions', () => {
  test('are distinct', () => {
    expect(new Set(questions.map(({ prompt }) => prompt.toLowerCase())).size).toBe(questions.length);
  });

  test('include at least twelve for each semantic field', () => {
    const byField = count(questions.map(({ type, entity, field }) => `${type} ${entity}.${field}`));
    expect(byField).toEqual({
      'linear issues.description': 19,
      'linear comments.body': 17,
      'gong call_transcripts.transcript': 21,
      'granola notes.summary_markdown': 18,
      'granola notes.transcript': 17,
      'google-drive files.content': 26,
    });
  });

  test('cover every kind', () => {
    const byKind = count(questions.map(({ kind }) => kind));
    expect(byKind).toEqual({ keyword: 13, rephrased: 44, misspelt: 19, named: 20, question: 22 });
    expect(Object.keys(byKind).sort()).toEqual([...kinds].sort());
  });

  test('each have an answer and few enough relevant records to judge them all', () => {
    for (const question of questions) {
      const { prompt, relevant } = question;
      expect(answersTo(question).length, prompt).toBeGreaterThan(0);
      expect(relevant.length, prompt).toBeLessThanOrEqual(15);
      expect(new Set(relevant.map(({ id }) => id)).size, prompt).toBe(relevant.length);
      for (const { grade } of relevant) expect([1, 2], prompt).toContain(grade);
    }
  });

  test('share at most two words with their answers if they are paraphrases', () => {
    for (const question of questions.filter(({ kind }) => kind === 'rephrased')) {
      const answers = wordsOf(
        answersTo(question)
          .flatMap(({ quotes }) => quotes)
          .join(' '),
      );
      const shared = [...wordsOf(question.prompt)].filter((word) => answers.has(word));
      expect(shared.length, `${question.prompt}: ${shared}`).toBeLessThanOrEqual(2);
    }
  });
});

describe('the workspace questions', () => {
  test('are distinct and cover every kind', () => {
    const prompts = [...questions, ...workspaceQuestions].map(({ prompt }) => prompt.toLowerCase());
    expect(new Set(prompts).size).toBe(prompts.length);
    const byKind = count(workspaceQuestions.map(({ kind }) => kind));
    expect(byKind).toEqual({ title: 25, metadata: 21, join: 18, paraphrase: 14, words: 15 });
  });

  test('each have an answer and list each record once', () => {
    for (const { prompt, relevant } of workspaceQuestions) {
      expect(relevant.filter(({ grade }) => grade === 2).length, prompt).toBeGreaterThan(0);
      expect(new Set(relevant.map(({ type, id }) => `${type} ${id}`)).size, prompt).toBe(relevant.length);
    }
  });
});

describe('the sandbox company used by the questions', () => {
  let texts: Map<string, Text>;
  let ofWeeksLater: Set<string>;
  beforeAll(async () => {
    const all = await companyTexts(companySandbox());
    texts = new Map(all.map((text) => [keyOf(text, text.id), text]));
    const later = await companyTexts(companySandbox(companyOptions.now + 40 * 86_400_000));
    ofWeeksLater = new Set(later.map((text) => keyOf(text, text.id)));
  });

  test("contains every relevant record by name and every quote in the record's text", () => {
    for (const question of questions) {
      for (const { id, name, quotes } of question.relevant) {
        const found = texts.get(keyOf(question, id));
        expect(found?.name, `${question.prompt}: ${id}`).toBe(name);
        expect(quotes.length, `${question.prompt}: ${id}`).toBeGreaterThan(0);
        for (const quote of quotes) expect(containsQuote(found!.text, quote), `${name}: ${quote}`).toBe(true);
      }
    }
  });

  test('has the same ids at a different time of year', () => {
    const ids = questions.flatMap((question) => question.relevant.map(({ id }) => keyOf(question, id)));
    expect(ids.filter((id) => !ofWeeksLater.has(id))).toEqual([]);
  });

  test('is missing at least two words of each misspelled question', () => {
    const known = wordsOf([...texts.values()].map(({ text }) => text).join(' '));
    for (const { prompt } of questions.filter(({ kind }) => kind === 'misspelt')) {
      const unknown = [...wordsOf(prompt)].filter((word) => !known.has(word));
      expect(unknown.length, `${prompt}: ${unknown}`).toBeGreaterThanOrEqual(2);
    }
  });
});
