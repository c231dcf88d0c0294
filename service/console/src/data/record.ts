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

/** A field's or entity's name as words: `creatorName` is "Creator name", and `updatedAt` "Updated". */
export const wordsOf = (name: string): string => {
  const words = name
    .replace(/[._-]+/g, ' ')
    .replace(/([a-z\d])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .replace(/^(\w+ed) (?:at|time)$/, '$1');
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(
    /\b(?:id|url|mime|json|api|utc|sla)(?=s?\b)/gi,
    (abbreviation) => abbreviation.toUpperCase(),
  );
};

/** A field's name where its values show what it is: `priorityLabel` is "Priority". */
export const headingOf = (name: string): string => wordsOf(name).replace(/(?<=\w) label$/, '');

/** The name of one record of an entity: `issues` is "Issue". */
export const singularOf = (entity: string): string => {
  const name = wordsOf(entity);
  return /ies$/.test(name) ? name.replace(/ies$/, 'y') : name.replace(/(?<=us)es$|(?<![su])s$/, '');
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

const people =
  /^(assignees?|creator|owners?|authors?|user|person|host|sender|lead|manager|attendees|participants|parties|members)(Name|_name)?$/;
const dates =
  /^(updated|modified|started|scheduled|created|due|target|start|end|completed|canceled|closed|date|edited|joined)(_?([aA]t|[dD]ate|[tT]ime))?$/;
const names = /^(identifier|email|emailAddress|type|direction|language|estimate)$/;

/** How important a short field is to a reader: states first, then people, other named things and dates. */
function importanceOf(name: string, value: unknown): number | undefined {
  if (isId(name)) return undefined;
  if (name === 'identifier') return 1;
  if (states.includes(name)) return 2 + states.indexOf(name) / states.length;
  if (people.test(name)) return 3;
  if (labelOf(value) !== undefined || labelsOf(value) !== undefined) return 3.2;
  if (dates.test(name)) return 3.4;
  return names.test(name) ? 3.6 : undefined;
}

/** Whether a text is prose rather than a value. */
export const isProse = (value: unknown): value is string =>
  typeof value === 'string' && (value.length > 200 || value.includes('\n')) && !isJson(value);

const isJson = (value: string): boolean => /^[[{]/.test(value);

/** Fields that a record page shows at least, if the record has them. */
const fewFields = 6;

/** A record's non-empty fields without its title: its texts, those that most readers look for, and the others. */
export function partsOf(record: Fields): Readonly<Record<'texts' | 'main' | 'more', readonly string[]>> {
  const title = titleOf(record, '');
  const fields = columnsOf([record]).filter((name) => !isEmpty(record[name]));
  const texts = fields.filter((name) => isProse(record[name]) || (prose.includes(name) && textOf(record[name])));
  const short = fields.filter((name) => !texts.includes(name) && !(titles.includes(name) && record[name] === title));
  const ranked = short
    .map((name) => ({ name, rank: importanceOf(name, record[name]) }))
    .filter((each): each is { name: string; rank: number } => each.rank !== undefined)
    .sort((one, other) => one.rank - other.rank)
    .map(({ name }) => name);
  const rest = short.filter((name) => !ranked.includes(name));
  const others = rest.filter((name) => !isId(name) && !isInternal(name, record[name]));
  const main = [...ranked, ...others.slice(0, Math.max(0, fewFields - ranked.length))];
  return { texts, main, more: short.filter((name) => !main.includes(name)) };
}

/** Fields with a record's text. */
export const prose = ['body', 'description', 'content', 'text', 'summary', 'snippet'];

/** Whether a field is for programs, such as a position in a list, a URL or data. */
const isInternal = (name: string, value: unknown): boolean =>
  /order$|data$|url$|uri$|slug|^object$|version$/i.test(name) ||
  (typeof value === 'string' && (/^https?:/.test(value) || isJson(value)));

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Field names in reading order: title and state, people, dates, other short fields, mostly empty and long ones, URLs, and ids last. */
export function columnsOf(rows: readonly Fields[]): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const rank = (name: string): number => {
    const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
    const heavy = values.filter((value) => !isPlain(value) && labelOf(value) === undefined).length;
    if (titles.includes(name)) return titles.indexOf(name) / titles.length;
    if (isId(name)) return 7;
    if (values.length === 0 || values.every((value) => typeof value === 'string' && /^https?:/.test(value))) return 6;
    if (heavy > values.length / 2) return 5;
    if (values.some((value) => typeof value === 'string' && value.length > 200)) return 4;
    if (isInternal(name, values[0])) return 4;
    // Equal or missing values tell rows apart less than others.
    const isSparse = values.length * 4 < rows.length;
    const isSame = rows.length > 3 && new Set(values.map((value) => JSON.stringify(value))).size === 1;
    return isSparse || isSame ? 3.9 : (importanceOf(name, values[0]) ?? 3.8);
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
