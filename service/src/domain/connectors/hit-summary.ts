import { stopWords } from '../../data/records/words.js';

/** What a reader sees first of a hit; null where the record has none. */
export interface HitSummary {
  readonly title: string | null;
  readonly url: string | null;
  readonly date: string | null;
  readonly person: string | null;
  /** About 300 characters of the passage, with the words of the prompt between two asterisks each. */
  readonly snippet: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Where records have what a reader sees first, the most telling first. */
const paths = {
  title: ['title', 'name', 'file_name', 'metaData.title', 'issue.title', 'scorecardName', 'identifier', 'callTitle'],
  url: ['url', 'web_url', 'metaData.url', 'callUrl'],
  date: ['updatedAt', 'updated_at', 'started', 'metaData.started', 'createdAt', 'created_at'],
  person: ['speakerName', 'authorName', 'assigneeName', 'creatorName', 'user.name', 'owner.name', 'lead.name'],
} as const;

function textAt(record: Fields, candidates: readonly string[]): string | null {
  for (const path of candidates) {
    let value: unknown = record;
    for (const name of path.split('.'))
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Fields)[name] : null;
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return null;
}

/** Sums up a hit by its record, its metadata and the passage that was found. */
export function summaryOfHit(record: Fields, metadata: Fields, prompt: string): HitSummary {
  const named = { ...metadata, ...record };
  return {
    title: textAt(named, paths.title),
    url: textAt(named, paths.url),
    date: textAt(record, paths.date),
    person: textAt({ ...record, ...metadata }, paths.person),
    snippet: snippetOf(String(metadata.context ?? ''), prompt),
  };
}

const snippetLength = 300;
const word = /[\p{L}\p{N}]+/gu;

const wordsOf = (text: string): string[] => text.toLowerCase().match(word) ?? [];

/** Whether two words are the same but for their endings. */
function isForm(one: string, other: string): boolean {
  if (one === other) return true;
  const shared = Math.max(4, Math.min(one.length, other.length) - 2);
  return Math.abs(one.length - other.length) <= 3 && one.slice(0, shared) === other.slice(0, shared);
}

/** The part of a passage that has most of a prompt's words, with these marked. */
function snippetOf(context: string, prompt: string): string {
  const text = context.replaceAll('**', '').replaceAll(/\s+/g, ' ').trim();
  const wanted = [...new Set(wordsOf(prompt))].filter((one) => !stopWords.has(one));
  const found = [...text.matchAll(word)].flatMap(({ 0: match, index }) =>
    wanted.some((one) => isForm(match.toLowerCase(), one)) ? [{ start: index, end: index + match.length }] : [],
  );
  const within = (start: number) => found.filter((one) => one.start >= start && one.end <= start + snippetLength);
  // Some text before the first word of a part makes it readable.
  const starts = found.map(({ start }) => Math.max(0, Math.min(start - 60, text.length - snippetLength)));
  const best = starts.reduce((one, other) => (within(other).length > within(one).length ? other : one), starts[0] ?? 0);
  const start = best === 0 ? 0 : text.indexOf(' ', best) + 1;
  const whole = text.length <= start + snippetLength;
  const end = whole ? text.length : Math.max(start + 1, text.lastIndexOf(' ', start + snippetLength));
  let marked = '';
  let at = start;
  for (const one of found) {
    if (one.start < start || one.end > end) continue;
    marked += `${text.slice(at, one.start)}**${text.slice(one.start, one.end)}**`;
    at = one.end;
  }
  return `${start > 0 ? '… ' : ''}${marked}${text.slice(at, end)}${whole ? '' : ' …'}`;
}
