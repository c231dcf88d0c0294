import { ConnectorError } from '../errors/connector-error.js';
import type { Arguments } from './arguments.js';
import { fenced, hiddenNotice, visibleText, warning } from './fence.js';
import { unmatchedHint } from './hints.js';
import { missingLines, type ReportedGaps } from './render/missing.js';
import { fits, type OutputBudget } from './tokens.js';
import type { Member } from './toolset.js';

/** A search across all replicated records. */
export interface SearchAllQuery {
  /** The prompt, in plain words. */
  readonly prompt: string;
  /** 1 to 100; by default, the search function decides. */
  readonly limit?: number;
  /** Only these connectors, by the names used to create the tools. */
  readonly connectors?: readonly string[];
  /** Only these entities. */
  readonly entities?: readonly string[];
  /** How passages are ranked. */
  readonly mode?: 'lexical' | 'dense' | 'hybrid';
}

/** A matching passage, as returned by `search` of a service's client. */
export interface SearchAllHit {
  /** Its source. */
  readonly connector: {
    /** Name of the connector. */
    readonly name: string;
  };
  /** Entity of the record. */
  readonly entity_name: string;
  /** The record, with some of its fields. */
  readonly entity: Readonly<Record<string, unknown>>;
  /** The match with surrounding text, and display names such as `authorName`. */
  readonly metadata: {
    /** The match with surrounding text. */
    readonly context: string;
    readonly [name: string]: unknown;
  };
  /** Title of the record, if the search reports it; otherwise derived from its fields. */
  readonly title?: string | null | undefined;
  /** URL of the record, if the search reports it; otherwise derived from its fields. */
  readonly url?: string | null | undefined;
  /** When it was last changed or took place, ISO 8601; derived from its fields if the search does not report it. */
  readonly date?: string | null | undefined;
  /** Its author; derived from its fields if the search does not report it. */
  readonly person?: string | null | undefined;
  /** Number of omitted records with the same passage. */
  readonly duplicates?: number | undefined;
}

/** Hits, best first, and what could not be searched. */
export interface SearchAllHits {
  /** Hits. */
  readonly data: readonly SearchAllHit[];
  /** About the search. */
  readonly meta?:
    | {
        /** What could not be searched, and why. */
        readonly skipped?: readonly unknown[] | undefined;
        /** What the searched replicas do not have, and why. */
        readonly missing?: readonly unknown[] | undefined;
        /** Rare words of the prompt that no hit contains. */
        readonly unmatched_words?: readonly string[] | undefined;
      }
    | undefined;
}

/** Searches all replicated records. */
export type SearchAll = (
  search: SearchAllQuery,
  context: {
    /** Aborted when the result is no longer needed. */
    readonly signal: AbortSignal | undefined;
  },
) => Promise<SearchAllHits>;

/** Length of the snippet around the first matching word. */
const snippetLength = 300;

interface SearchScope {
  readonly members: readonly Member[];
  readonly searched: readonly Member[] | undefined;
  readonly reported: ReportedGaps;
}

/** Searches these connectors, or some of them, and returns as many hits as fit the token budget. */
export async function searchEverything(
  searchAll: SearchAll,
  args: Arguments,
  { members, searched, reported }: SearchScope,
  budget: OutputBudget,
  signal: AbortSignal | undefined,
): Promise<{ readonly text: string; readonly data: unknown }> {
  const query = {
    ...args,
    ...(searched && { connectors: searched.map(({ name }) => name) }),
  } as unknown as SearchAllQuery;
  const { limit } = query;
  if (limit !== undefined && (limit < 1 || limit > 100)) {
    const message = 'must be 1 to 100';
    throw new ConnectorError('invalid_params', `limit ${message}.`, { issues: [{ path: 'limit', message }] });
  }
  const { data, meta } = await searchAll(query, { signal });
  const keyOf = (name: string | undefined) => members.find((member) => member.name === name)?.key ?? name;
  const hits = data.map((hit) => ({ ...shownHit(hit, query.prompt), connector: keyOf(hit.connector.name)! }));
  const skipped = (meta?.skipped ?? []) as readonly SkippedEntity[];
  const notSearched = skipped.map(
    ({ connector, entity_name, reason }) =>
      `Not searched: ${keyOf(connector?.name)}${entity_name ? `/${entity_name}` : ''}: ${reason}`,
  );
  const isSkipped = ({ connector, entity }: Gap) =>
    skipped.some(({ connector: each, entity_name }) => each?.name === connector?.name && entity_name === entity);
  const sourceOf = ({ connector, entity }: Gap) => `${keyOf(connector?.name)}/${entity}`;
  const missing = ((meta?.missing ?? []) as readonly Gap[]).filter((gap) => !isSkipped(gap));
  const gaps = missingLines<Gap>(missing, { sourceOf, reported }) ?? [];
  const unmatched = unmatchedHint(meta?.unmatched_words);
  const keys = members.map(({ key }) => key);
  const without = (searched ?? members).flatMap(({ key, name }) =>
    hits.some((hit) => hit.connector === key) ||
    skipped.some(({ connector, entity_name }) => connector?.name === name && !entity_name)
      ? []
      : key,
  );
  const write = (count: number) => {
    const lines = hits.slice(0, count).map((hit, index) => `${index + 1}. ${linesOf(hit)}`);
    const { text, hidden } = visibleText([...gaps, ...lines, ...notSearched].join('\n'));
    const found = `${hits.length} ${hits.length === 1 ? 'hit' : 'hits'}.`;
    const cut = count < hits.length ? ` The first ${count} follow; request fewer hits.` : '';
    return [
      ...hiddenNotice(hidden),
      // Before the hits, which would be taken for an answer.
      ...(unmatched === undefined ? [] : [unmatched]),
      `${found}${cut} ${warning('the connectors')}`,
      fenced(text, 'search'),
      ...(hits.length > 0 && without.length > 0 && hits.every(({ connector }) => keys.includes(connector))
        ? [`No hits from ${without.join(', ')}; use the connectors parameter to search only those.`]
        : []),
      ...(hits.length === 0 ? ['Try other words, fewer conditions, or context_store_search on one entity.'] : []),
    ].join('\n');
  };
  let count = hits.length;
  while (count > 0 && !fits(write(count), budget)) count--;
  return { text: write(count), data: { hits: hits.slice(0, count), meta } };
}

/** What a replica does not have. */
interface Gap {
  readonly connector?: { readonly name?: string };
  readonly entity?: string;
}

interface SkippedEntity {
  readonly connector?: { readonly name?: string };
  readonly entity_name?: string | null;
  readonly reason?: string;
}

/** A hit as shown to the model. */
export interface ShownHit {
  readonly connector: string;
  readonly entity: string;
  readonly id: string | null;
  readonly title: string | null;
  readonly url: string | null;
  readonly date: string | null;
  readonly person: string | null;
  readonly snippet: string;
  readonly duplicates: number | undefined;
}

const one = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** The first text among fields with matching names. */
function textIn(fields: Readonly<Record<string, unknown>>, ...names: readonly RegExp[]): string | null {
  for (const name of names) {
    for (const [key, value] of Object.entries(fields)) {
      if (typeof value === 'string' && value !== '' && name.test(key)) return one(value);
    }
  }
  return null;
}

/** Connectors name fields as their vendors do; these names are the most common ones. */
export function shownHit(hit: SearchAllHit, prompt: string): ShownHit {
  const { connector, entity_name, entity, metadata } = hit;
  const { context, ...names } = metadata;
  const key = textIn(entity, /^(identifier|key|number)$/i);
  const title = hit.title ? one(hit.title) : textIn(entity, /^(title|subject)$/i, /^((file|display|full)_?)?name$/i);
  const url = hit.url ? one(hit.url) : textIn(entity, /^(url|permalink|(web_?view_?)?link)$/i);
  const id = textIn(entity, /^id$/i, /^[a-z]+_?id$/i);
  return {
    connector: connector.name,
    entity: entity_name,
    id,
    url,
    title: [key === title ? null : key, title].filter((part) => part !== null).join(' ') || null,
    date: (hit.date ?? textIn(entity, /^(started|date)/i, /^updated/i, /^created/i))?.slice(0, 10) ?? null,
    person: hit.person ?? textIn(names, /^(speaker|author|creator|owner)_?name$/i, /name$/i),
    snippet: snippetOf(context, prompt),
    duplicates: hit.duplicates,
  };
}

function linesOf({ connector, entity, id, title, url, date, person, snippet, duplicates }: ShownHit): string {
  const copies = duplicates ? `${duplicates} more with the same text` : null;
  const source = `${connector}/${entity}${id === null ? '' : ` ${id}`}`;
  return `${[title, source, date, person, url, copies].filter((part) => part !== null).join(' | ')}\n   ${snippet}`;
}

/** The part of a passage around the first matching word, with matches wrapped in `**`. */
function snippetOf(context: string, prompt: string): string {
  const text = one(context).replaceAll('**', '');
  const given = prompt.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  const words = [...new Set(given.map((word) => word.replace(/(?<=...)s$/, '')))].slice(0, 20);
  if (words.length === 0) return cutAround(text, 0);
  // Matches singular and plural forms of words.
  const found = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})[\\p{L}\\p{N}]*`, 'giu');
  const first = text.search(found);
  return cutAround(text, first).replaceAll(found, '**$&**');
}

function cutAround(text: string, at: number): string {
  if (text.length <= snippetLength) return text;
  const wanted = Math.max(0, Math.min(at - snippetLength / 3, text.length - snippetLength));
  const start = wanted === 0 ? 0 : text.indexOf(' ', wanted) + 1;
  const end = start + snippetLength >= text.length ? text.length : text.lastIndexOf(' ', start + snippetLength);
  const stop = end > start ? end : start + snippetLength;
  return `${start > 0 ? '… ' : ''}${text.slice(start, stop)}${stop < text.length ? ' …' : ''}`;
}
