import { stopWords } from '../../data/records/words/stop-words.js';

/** A hit's summary for display; values missing from the record are null. */
export interface HitSummary {
  readonly title: string | null;
  readonly url: string | null;
  readonly date: string | null;
  readonly person: string | null;
  /** People named in the record: author, assignee, owner, participants (deduplicated, up to 20). */
  readonly people: readonly string[];
  /** About 300 characters of the passage, with words from the prompt in double asterisks. */
  readonly snippet: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Record paths of each summary field, in order of preference. */
const paths = {
  title: ['title', 'name', 'file_name', 'metaData.title', 'issue.title', 'scorecardName', 'identifier', 'callTitle'],
  url: ['url', 'web_url', 'metaData.url', 'callUrl'],
  date: ['updatedAt', 'updated_at', 'updated', 'started', 'metaData.started', 'createdAt', 'created_at'],
  person: [
    'speakerName',
    'authorName',
    'assigneeName',
    'assignee.name',
    'creatorName',
    'creator.name',
    'user.name',
    'owner.name',
    'lead.name',
    'parties.name',
  ],
  people: ['attendees.name'],
} as const;

const maxPeople = 20;

/** Texts at a path that may pass through arrays. */
function textsAt(value: unknown, [name, ...rest]: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => textsAt(one, name === undefined ? [] : [name, ...rest]));
  if (name === undefined) return typeof value === 'string' && value.trim() !== '' ? [value] : [];
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? textsAt((value as Fields)[name], rest)
    : [];
}

const textsOf = (record: Fields, candidates: readonly string[]): string[] =>
  candidates.flatMap((path) => textsAt(record, path.split('.')));

const textAt = (record: Fields, candidates: readonly string[]): string | null => textsOf(record, candidates)[0] ?? null;

/** A hit's title from its record and metadata; null if it has none. */
export const titleOfHit = (record: Fields, metadata: Fields): string | null =>
  textAt({ ...metadata, ...record }, paths.title);

/** Summarizes a hit from its record, metadata and passage; `words` are the words to highlight, from `wordsToHighlight`. */
export function summaryOfHit(record: Fields, metadata: Fields, words: readonly string[]): HitSummary {
  const named = { ...metadata, ...record };
  const people = textsOf({ ...record, ...metadata }, [...paths.person, ...paths.people]);
  return {
    title: titleOfHit(record, metadata),
    url: textAt(named, paths.url),
    date: textAt(record, paths.date),
    person: people[0] ?? null,
    people: [...new Set(people)].slice(0, maxPeople),
    snippet: snippetOf(String(metadata.context ?? ''), words),
  };
}

const snippetLength = 300;
const maxHighlighted = 50;
const word = /[\p{L}\p{N}]+/gu;

/** The first 50 words of a prompt that are worth highlighting. */
export function wordsToHighlight(prompt: string): string[] {
  const words = new Set(prompt.toLowerCase().match(word) ?? []);
  return [...words].filter((one) => !stopWords.has(one)).slice(0, maxHighlighted);
}

/** Whether two words differ only in their endings. */
function isForm(one: string, other: string): boolean {
  if (one === other) return true;
  const shared = Math.max(4, Math.min(one.length, other.length) - 2);
  return Math.abs(one.length - other.length) <= 3 && one.slice(0, shared) === other.slice(0, shared);
}

/** The same function, called once per text. */
function remembered(test: (text: string) => boolean): (text: string) => boolean {
  const results = new Map<string, boolean>();
  return (text) => {
    const result = results.get(text) ?? test(text);
    results.set(text, result);
    return result;
  };
}

interface Match {
  readonly start: number;
  readonly end: number;
}

/** Where a snippet contains the most matches. */
function densest(found: readonly Match[], textLength: number): number {
  let [best, most, first, last] = [0, 0, 0, 0];
  for (const match of found) {
    // Include some text before the first match to make the snippet readable.
    const start = Math.max(0, Math.min(match.start - 60, textLength - snippetLength));
    while (first < found.length && found[first]!.start < start) first++;
    while (last < found.length && found[last]!.end <= start + snippetLength) last++;
    if (last - first > most) [best, most] = [start, last - first];
  }
  return best;
}

/** The part of a passage that contains the most words from the prompt, with those words highlighted. */
function snippetOf(context: string, wanted: readonly string[]): string {
  const text = context.replaceAll('**', '').replaceAll(/\s+/g, ' ').trim();
  const isWanted = remembered((one) => wanted.some((other) => isForm(one, other)));
  const found = [...text.matchAll(word)].flatMap(({ 0: match, index }) =>
    isWanted(match.toLowerCase()) ? [{ start: index, end: index + match.length }] : [],
  );
  const best = densest(found, text.length);
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
