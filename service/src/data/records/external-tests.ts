import { ConnectorError } from 'agent-connectors';
import type { Requester } from '../../common/fair-queue.js';
import type { TextObjects } from '../objects/texts.js';
import type { Driver } from './driver.js';
import { hasElement } from './drivers/element-test.js';
import { ExternalText, referenceTo } from './external-text.js';
import { wordsInOrder } from './fuzzy-match.js';
import { likeMatcher } from './like-match.js';
import type { Condition, FieldRef } from './plan.js';
import { idOf } from './rows.js';
import { type Column, canonicalText, isObject, type Layout, referenceMark } from './schema.js';
import { areExact } from './terms.js';
import { hasAnyOf } from './words/question.js';

/** Context for evaluating tests on long texts. */
export interface ExternalScope {
  readonly driver: Driver;
  readonly objects: TextObjects;
  readonly layout: Layout;
  readonly connectorId: string;
  readonly requester: Requester | undefined;
}

type Test = Exclude<Extract<Condition, { readonly termsAlone?: true }>, { parts: unknown } | { part: unknown }>;

/** Maximum number of texts read for one condition. */
const maxTexts = 500;

/** A record's id as a column. */
const idColumn: Column = {
  field: 'id',
  kind: 'string',
  stored: 'id',
  compared: 'id',
  type: 'text',
  indexed: false,
  wordIndexed: false,
  code: '',
};

/** Tests whether the value is stored as an object, or equals the given value. */
const isExternal = (ref: FieldRef, reference = referenceMark): Condition => ({
  // References are not indexed as terms.
  test: 'like',
  ref: { ...ref, column: { ...ref.column, wordIndexed: false } },
  pattern: [{ wildcard: '%' }, { literal: reference }, { wildcard: '%' }],
  isExact: true,
});

/**
 * Evaluates tests on texts stored as objects: reads those that index terms do not exclude, and replaces each test with
 * the ids of matching records.
 */
export async function decideExternal(
  scope: ExternalScope,
  condition: Condition,
  others: readonly Condition[] = [],
): Promise<Condition> {
  if (condition.test === 'not') return { ...condition, part: await decideExternal(scope, condition.part, others) };
  if ('parts' in condition) {
    const parts: Condition[] = [];
    const decided = condition.parts.filter((part) => !readsTexts(part));
    const narrowing = condition.test === 'all' ? [...others, ...decided] : others;
    for (const part of condition.parts) parts.push(await decideExternal(scope, part, narrowing));
    return { ...condition, parts };
  }
  const { ref } = condition;
  if (ref.column.maxInline === undefined || ref.path.length > 0) return condition;
  if (condition.test === 'among') return { test: 'some', parts: [condition, ...referencesTo(ref, condition.values)] };
  if (!readsTexts(condition)) return condition;
  const test = condition as Test;
  const ids = await matchingIds(scope, test, others);
  const inline: Condition = { test: 'all', parts: [test, { test: 'not', part: isExternal(ref) }] };
  if (ids.length === 0) return inline;
  return { test: 'some', parts: [inline, { test: 'among', ref: { column: idColumn, path: [] }, values: ids }] };
}

/** Whether a condition on a long text needs the text itself, not just index terms. */
function readsTexts(condition: Condition): boolean {
  if (condition.test === 'not') return readsTexts(condition.part);
  if ('parts' in condition) return condition.parts.some(readsTexts);
  if (condition.ref.column.maxInline === undefined || condition.ref.path.length > 0) return false;
  // Index terms are exact for a single word, unless it is too long for a term.
  if (condition.test === 'fuzzy')
    return condition.words.length > 1 || condition.words.some((word) => typeof word !== 'string' || word.length > 50);
  if (condition.test === 'keyword') return !areExact(condition.wanted);
  return condition.test === 'like' || (condition.test === 'holds' && condition.values.some(isObject));
}

/** Conditions for values long enough to be stored as objects, which are compared by digest. */
function referencesTo({ column, path }: FieldRef, values: readonly unknown[]): Condition[] {
  return values.flatMap((value) => {
    const text = typeof value === 'string' ? value : canonicalText(value);
    if (text.length <= column.maxInline!) return [];
    const reference = referenceTo(text);
    return [isExternal({ column, path }, reference.slice(reference.indexOf(referenceMark)))];
  });
}

async function matchingIds(
  { driver, objects, layout, connectorId, requester }: ExternalScope,
  test: Test,
  others: readonly Condition[],
): Promise<string[]> {
  const { column } = test.ref;
  const fields = [...layout.key.map(({ field }) => [field]), [column.field]];
  const candidates: Condition = {
    test: 'all',
    parts: [...others, isExternal(test.ref), { ...test, termsAlone: true }],
  };
  const plan = { condition: candidates, sort: [], limit: maxTexts + 1, fields, requester };
  const { records, more } = await driver.search(layout, connectorId, plan);
  if (more || records.length > maxTexts) {
    throw new ConnectorError(
      'invalid_params',
      `'${test.test}' on '${column.field}' would need to read more than ${maxTexts} long texts.`,
      { hint: 'Add a selective condition such as eq or a date range, or use `keyword` or semantic search.' },
    );
  }
  const texts = records.flatMap((record) => {
    const text = record[column.field];
    return text instanceof ExternalText ? [{ id: idOf(layout, record), text }] : [];
  });
  const found = await objects.read(
    connectorId,
    texts.map(({ text }) => text),
  );
  const passes = matcherOf(test);
  return texts.flatMap(({ id, text }) => {
    const body = found.get(text.digest);
    return body && 'text' in body && passes(body.text) ? [id] : [];
  });
}

function matcherOf(test: Test): (text: string) => boolean {
  if ('words' in test) return wordsInOrder(test.words);
  if ('wanted' in test) return hasAnyOf(test.wanted);
  if (test.test === 'like') return likeMatcher(test.pattern);
  return hasElement(test.values.map(canonicalText));
}
