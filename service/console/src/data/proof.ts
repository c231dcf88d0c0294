/** What proves that two records are linked: ids and identifiers in URLs and texts, calendar events, and email addresses. */
import type { ConnectorOverview, EntityDescription } from 'agent-connectors/wire';
import { type Fields, isFields, keyField, pageOf, textOf } from './record.js';

/** How the data prove a link. */
export type LinkKind = 'field' | 'mentions' | 'mentioned' | 'event' | 'person';

/** A record with where it comes from. */
export interface Place {
  readonly connector: ConnectorOverview;
  readonly entity: EntityDescription;
  readonly record: Fields;
}

/** Fields with the same value in records about the same person or calendar event. */
const shared = {
  event: ['calendarEventId', 'calendar_event.calendar_event_id'],
  person: ['email', 'emailAddress'],
} as const;
/** A list of links in a record, each with the `url`. */
const attachments = 'attachments.nodes';
const maxUrls = 20;
/** Ids of this length are unique across vendors. */
export const uniqueLength = 16;

const typesOf = ({ search }: EntityDescription) => search?.fields ?? {};
/** The field that identifies an entity's records. */
export const keyOf = (entity: EntityDescription): string | undefined => keyField(Object.keys(typesOf(entity)).sort());
const fieldsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : isFields(value) ? Object.values(value) : [];

/** The values at a dotted path, which passes through arrays, with the objects that contain them. */
export function valuesAt(
  value: unknown,
  path: readonly string[],
  parent?: Fields,
): ReadonlyArray<readonly [unknown, Fields | undefined]> {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path, parent));
  const [name, ...rest] = path;
  if (name === undefined) return [[value, parent]];
  return isFields(value) ? valuesAt(value[name], rest, value) : [];
}

const valueAt = (record: Fields, path: string): string | undefined => textOf(valuesAt(record, path.split('.'))[0]?.[0]);

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  for (const part of fieldsOf(value)) yield* textsIn(part);
}

/** The URLs in a record's texts. */
function urlsIn(record: Fields): URL[] {
  const found = new Set<string>();
  for (const text of textsIn(record)) {
    for (const [url] of text.matchAll(/https?:\/\/[^\s<>"'`\])}|\\]+/g)) found.add(url.replace(/[.,;:!?*_]+$/, ''));
  }
  return [...found].filter((url) => URL.canParse(url)).map((url) => new URL(url));
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const partsOf = ({ pathname, searchParams }: URL): string[] =>
  [...pathname.split('/').map(decode), ...searchParams.values()].filter((part) => part.length > 2);

/** Identifiers such as ENG-12 in a record's texts. */
const identifiersIn = (record: Fields): string[] => [
  ...new Set([...textsIn(record)].flatMap((text) => text.match(/(?<![\w/-])[A-Z][A-Z\d]+-\d+(?![\w-])/g) ?? [])),
];

/** What identifies a record: its id, and its identifier if it has one. */
export const namesOf = ({ record, entity }: Place): string[] =>
  [keyOf(entity) ?? 'id', 'identifier'].flatMap((name) => textOf(record[name]) ?? []);

/** Whether a URL is that of a record's page. */
function leadsTo(url: URL, place: Place): boolean {
  const own = pageOf(place.record);
  const page = own === undefined ? undefined : new URL(own);
  return namesOf(place).some((name) => {
    if (!partsOf(url).includes(name)) return false;
    if (name.length >= uniqueLength) return true;
    // A short identifier is that of one workspace, which the beginning of the path names.
    return page?.host === url.host && page.pathname.split(name)[0] === url.pathname.split(name)[0];
  });
}

/** Whether a record's texts contain the URL or the identifier of another record. */
function mentions(from: Place, to: Place): boolean {
  const { identifier } = to.record;
  // Two connectors of one vendor may use the same identifiers.
  const isAmbiguous = from.connector.id !== to.connector.id && typesOf(from.entity).identifier !== undefined;
  const isNamed = typeof identifier === 'string' && !isAmbiguous && identifiersIn(from.record).includes(identifier);
  return isNamed || urlsIn(from.record).some((url) => leadsTo(url, to));
}

/** What proves that two records are linked, if anything does. */
export function proofOf(one: Place, other: Place): LinkKind | undefined {
  if (mentions(one, other)) return 'mentions';
  if (mentions(other, one)) return 'mentioned';
  return (['event', 'person'] as const).find((kind) => {
    const [first, second] = [one, other].map(({ record }) => sharedValue(record, kind)?.toLowerCase());
    return first !== undefined && first === second;
  });
}

const sharedValue = (record: Fields, kind: keyof typeof shared): string | undefined =>
  shared[kind].map((path) => valueAt(record, path)).find((value) => value !== undefined);

/** A filter of the records of an entity that may be linked to a record. */
export function filterOf(place: Place, entity: EntityDescription): object | undefined {
  const { record } = place;
  const types = typesOf(entity);
  const urls = urlsIn(record).filter((url) => !leadsTo(url, place));
  // What identifies a record has a digit; other parts of a path are words.
  const ids = urls
    .slice(0, maxUrls)
    .flatMap(partsOf)
    .filter((part) => part.length > 3 && /\d/.test(part));
  const identifiers = identifiersIn(record).filter((identifier) => identifier !== record.identifier);
  const names = [...new Set([...ids, ...identifiers])];
  const page = pageOf(record);
  const parts: object[] = [];
  for (const name of [keyOf(entity), 'identifier'])
    if (name !== undefined && types[name] !== undefined && names.length > 0)
      parts.push({ in: { [name]: names.slice(0, 100) } });
  if (page !== undefined && types.attachments !== undefined) parts.push({ contains: { [attachments]: { url: page } } });
  for (const kind of ['event', 'person'] as const) {
    const value = sharedValue(record, kind);
    for (const path of shared[kind])
      if (value !== undefined && types[path.split('.')[0]!] !== undefined) parts.push({ eq: { [path]: value } });
  }
  return parts.length === 0 ? undefined : { or: parts };
}
