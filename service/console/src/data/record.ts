/** A record from a replica or a result. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const titles = ['title', 'name', 'file_name', 'displayName', 'fullName', 'subject', 'scorecardName', 'callTitle'];
const states = ['state', 'status', 'stage', 'priorityLabel', 'health'];
/** Whether a field contains ids, by its name. */
export const isId = (name: string): boolean => /^(id|ids|uuid)$|(Id|Ids|_id|_ids)$/.test(name);

/** A non-empty string; undefined for everything else. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** A field's or entity's name as words: `creatorName` is "Creator name". */
export const wordsOf = (name: string): string => {
  const words = name
    .replace(/[._-]+/g, ' ')
    .replace(/([a-z\d])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(
    /\b(?:id|url|mime|json|api|utc|sla)(?=s?\b)/gi,
    (abbreviation) => abbreviation.toUpperCase(),
  );
};

/** The short name of an object such as a person or a state. */
export const labelOf = (value: unknown): string | undefined =>
  isFields(value)
    ? (textOf(value.title ?? value.name ?? value.displayName ?? value.label) ?? numberOf(value))
    : undefined;

/** The name of an object that has only a number, such as a cycle. */
const numberOf = ({ number }: Fields): string | undefined => (typeof number === 'number' ? `#${number}` : undefined);

/** The title of a record. */
export function titleOf(record: Fields, fallback: string): string {
  const own = titles.map((name) => textOf(record[name])).find(Boolean);
  return own ?? labelOf(record.metaData) ?? textOf(record.identifier) ?? fallback;
}

/** The record's state in a word or two. */
export const stateOf = (record: Fields): string | undefined =>
  states.map((name) => textOf(record[name]) ?? labelOf(record[name])).find(Boolean);

/** The URL of the record's page on the vendor's site. */
export function pageOf(record: Fields): string | undefined {
  const metadata = isFields(record.metaData) ? record.metaData : {};
  const candidates = [record.url, record.web_url, record.webViewLink, metadata.url];
  return candidates.map(textOf).find((url) => url !== undefined && /^https:\/\/\S+$/.test(url));
}

/** Whether a field is empty. */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) ? value.length === 0 : isFields(value) && Object.values(value).every(isEmpty));

/** Labels of the objects in a list that may be wrapped in `nodes`. */
export function labelsOf(value: unknown): string | undefined {
  const list = isFields(value) ? value.nodes : value;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const labels = list.map((one) => (typeof one === 'string' ? one : labelOf(one)));
  return labels.every((label) => label !== undefined) ? labels.join(', ') : undefined;
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Field names in reading order: title and state, short fields, mostly empty and long ones, URLs, and ids last. */
export function columnsOf(rows: readonly Fields[]): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const rank = (name: string): number => {
    const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
    const heavy = values.filter((value) => !isPlain(value) && labelOf(value) === undefined).length;
    if (titles.includes(name)) return titles.indexOf(name) / titles.length;
    if (name === 'identifier') return 1;
    if (states.includes(name)) return 2 + states.indexOf(name) / states.length;
    if (isId(name)) return 7;
    if (values.length === 0 || values.every((value) => typeof value === 'string' && /^https?:/.test(value))) return 6;
    if (heavy > values.length / 2) return 5;
    if (values.some((value) => typeof value === 'string' && value.length > 200)) return 4;
    // Equal or missing values tell rows apart less than others.
    const isSparse = values.length * 4 < rows.length;
    return isSparse || (rows.length > 3 && new Set(values.map((value) => JSON.stringify(value))).size === 1) ? 3.5 : 3;
  };
  return names
    .map((name, index) => ({ name, index, rank: rank(name) }))
    .sort((one, other) => one.rank - other.rank || one.index - other.index)
    .map(({ name }) => name);
}

/** The field that identifies an entity's records; some entities have none. */
export const keyField = (fields: readonly string[]): string | undefined =>
  fields.includes('id') ? 'id' : fields.find((name) => /Id$/.test(name));

/** The path of a record's page, if the record has a key. */
export function recordPath(connectorId: string, entity: string, record: Fields): string | undefined {
  const key = keyField(Object.keys(record).sort());
  const id = key === undefined ? undefined : record[key];
  return typeof id === 'string' || typeof id === 'number'
    ? `/connectors/${connectorId}/records/${encodeURIComponent(entity)}/${encodeURIComponent(id)}`
    : undefined;
}
