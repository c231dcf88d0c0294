import { apiErrors } from './errors.js';

/** A parsed search condition. */
export type Condition =
  | { kind: 'and' | 'or'; left: Condition; right: Condition }
  | { kind: 'not'; of: Condition }
  | { kind: 'compare'; field: string; operator: Operator; value: string | boolean | number }
  | { kind: 'in'; value: string; list: string }
  | { kind: 'has'; map: string; key: string; value: string };

/** Comparison operators. */
export type Operator = 'contains' | '=' | '!=' | '<' | '<=' | '>' | '>=';

/** Operators for each search field: fields in `lists` support `in`, fields in `maps` support `has`. */
export interface Vocabulary {
  fields: Readonly<Record<string, { type: 'text' | 'boolean' | 'time' | 'number'; operators: readonly Operator[] }>>;
  lists: readonly string[];
  maps: readonly string[];
}

const equal: readonly Operator[] = ['=', '!='];
const order: readonly Operator[] = ['=', '!=', '<', '<=', '>', '>='];
const times = { type: 'time', operators: order } as const;
const truth = { type: 'boolean', operators: equal } as const;

/** Search fields for files.list. */
export const fileVocabulary: Vocabulary = {
  fields: {
    name: { type: 'text', operators: ['contains', ...equal] },
    fullText: { type: 'text', operators: ['contains'] },
    mimeType: { type: 'text', operators: ['contains', ...equal] },
    modifiedTime: times,
    createdTime: times,
    viewedByMeTime: times,
    sharedWithMeTime: times,
    trashed: truth,
    starred: truth,
    sharedWithMe: truth,
    visibility: { type: 'text', operators: equal },
    'shortcutDetails.targetId': { type: 'text', operators: equal },
  },
  lists: ['parents', 'owners', 'writers', 'readers'],
  maps: ['properties', 'appProperties'],
};

/** Search fields for drives.list. */
export const driveVocabulary: Vocabulary = {
  fields: {
    name: { type: 'text', operators: ['contains', ...equal] },
    createdTime: times,
    hidden: truth,
    memberCount: { type: 'number', operators: order },
    organizerCount: { type: 'number', operators: order },
  },
  lists: [],
  maps: [],
};

type Token = { kind: 'text' | 'word' | 'mark'; value: string };

const pattern = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([A-Za-z][\w.]*|\d+)|(<=|>=|!=|[()={}<>]))/y;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  while (text.slice(pattern.lastIndex).trim() !== '') {
    const match = pattern.exec(text);
    if (!match) throw apiErrors.invalid('q');
    const [, single, double, word, mark] = match;
    const quoted = single ?? double;
    if (quoted !== undefined) tokens.push({ kind: 'text', value: quoted.replace(/\\(.)/gs, '$1') });
    else if (word !== undefined) tokens.push({ kind: 'word', value: word });
    else tokens.push({ kind: 'mark', value: mark! });
  }
  return tokens;
}

/** Parses `q`, or throws Drive's error; `and` and `or` have equal precedence and are evaluated left to right. */
export function parseQuery(text: string, vocabulary: Vocabulary): Condition | undefined {
  if (text.trim() === '') return undefined;
  const tokens = tokensOf(text);
  let at = 0;
  const refuse = (): never => {
    throw apiErrors.invalid('q');
  };
  const isWord = (word: string, token = tokens[at]) => token?.kind === 'word' && token.value.toLowerCase() === word;
  const take = (kind: Token['kind'], value?: string): string => {
    const token = tokens[at];
    if (token?.kind !== kind || (value !== undefined && token.value.toLowerCase() !== value)) return refuse();
    at += 1;
    return token.value;
  };

  const expression = (depth: number): Condition => {
    if (depth > 50) refuse();
    let left = term(depth);
    while (isWord('and') || isWord('or')) {
      const kind = tokens[at++]!.value.toLowerCase() as 'and' | 'or';
      left = { kind, left, right: term(depth) };
    }
    return left;
  };
  const term = (depth: number): Condition => {
    const token = tokens[at];
    if (isWord('not')) {
      at += 1;
      return { kind: 'not', of: term(depth + 1) };
    }
    if (token?.kind === 'mark' && token.value === '(') {
      at += 1;
      const inner = expression(depth + 1);
      take('mark', ')');
      return inner;
    }
    if (token?.kind === 'text') {
      at += 1;
      take('word', 'in');
      const list = take('word');
      return vocabulary.lists.includes(list) ? { kind: 'in', value: token.value, list } : refuse();
    }
    return clause(take('word'));
  };
  const clause = (field: string): Condition => {
    if (vocabulary.maps.includes(field)) return has(field);
    const fieldSpec = Object.hasOwn(vocabulary.fields, field) ? vocabulary.fields[field] : undefined;
    if (!fieldSpec) return refuse();
    const token = tokens[at];
    if (fieldSpec.type === 'boolean' && (!token || isWord('and') || isWord('or') || token.value === ')')) {
      return { kind: 'compare', field, operator: '=', value: true };
    }
    const operator = (isWord('contains') ? take('word') : take('mark')).toLowerCase() as Operator;
    if (!fieldSpec.operators.includes(operator)) refuse();
    return { kind: 'compare', field, operator, value: operand(fieldSpec.type) };
  };
  const operand = (type: 'text' | 'boolean' | 'time' | 'number'): string | boolean | number => {
    if (type === 'boolean') {
      const isTrue = isWord('true');
      take('word', isTrue ? 'true' : 'false');
      return isTrue;
    }
    if (type === 'number') return Number(take('word').match(/^\d+$/)?.[0] ?? refuse());
    const text = take('text');
    return type === 'time' ? timeOf(text) : text;
  };
  const has = (map: string): Condition => {
    take('word', 'has');
    take('mark', '{');
    take('word', 'key');
    take('mark', '=');
    const key = take('text');
    take('word', 'and');
    take('word', 'value');
    take('mark', '=');
    const value = take('text');
    take('mark', '}');
    return { kind: 'has', map, key, value };
  };

  const condition = expression(0);
  return at === tokens.length ? condition : refuse();
}

/** Whether a search includes a full-text condition, which rules out sorting. */
export function usesFullText(condition: Condition | undefined): boolean {
  if (!condition) return false;
  if (condition.kind === 'not') return usesFullText(condition.of);
  if (condition.kind === 'and' || condition.kind === 'or')
    return usesFullText(condition.left) || usesFullText(condition.right);
  return condition.kind === 'compare' && condition.field === 'fullText';
}

/** A time in a query, in UTC if it has no zone. */
function timeOf(text: string): number {
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(text))
    throw apiErrors.invalid('q');
  const hasZone = /(Z|[+-]\d{2}:\d{2})$/.test(text.slice(10));
  const time = Date.parse(text.length === 10 || hasZone ? text : `${text}Z`);
  if (Number.isNaN(time)) throw apiErrors.invalid('q');
  return time;
}
