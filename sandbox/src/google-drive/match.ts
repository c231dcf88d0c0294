import { permissionsOf } from './access.js';
import { type DriveContext, personForKey } from './context.js';
import { searchableText } from './document.js';
import { isNative } from './mime.js';
import type { Condition, Operator } from './query.js';
import type { FileRow } from './rows.js';

/** Evaluates a condition, using a function for each comparison. */
export function evaluate(condition: Condition, compare: (one: Comparison) => boolean): boolean {
  switch (condition.kind) {
    case 'and':
      return evaluate(condition.left, compare) && evaluate(condition.right, compare);
    case 'or':
      return evaluate(condition.left, compare) || evaluate(condition.right, compare);
    case 'not':
      return !evaluate(condition.of, compare);
    default:
      return compare(condition);
  }
}

type Comparison = Exclude<Condition, { kind: 'and' | 'or' | 'not' }>;

/** Whether a file matches a search. */
export function matches(context: DriveContext, file: FileRow, condition: Condition): boolean {
  return evaluate(condition, (one) => {
    if (one.kind === 'in') return isIn(context, file, one.list, one.value);
    if (one.kind === 'has') return file[one.map as 'properties']?.[one.key] === one.value;
    return matchesField(context, file, one.field, one.operator, one.value);
  });
}

function matchesField(
  context: DriveContext,
  file: FileRow,
  field: string,
  operator: Operator,
  value: string | boolean | number,
) {
  const isEqual = (found: unknown) => (found === value) === (operator === '=');
  const time = (found: string | undefined) =>
    found !== undefined && compareNumbers(Date.parse(found), operator, value as number);
  const text = String(value);
  switch (field) {
    case 'name':
      return operator === 'contains' ? containsWordPrefix(file.name, text) : isEqual(file.name);
    case 'mimeType':
      return operator === 'contains' ? file.mimeType.startsWith(text) : isEqual(file.mimeType);
    case 'fullText':
      return matchesFullText(context, file, text);
    case 'trashed':
      return isEqual(context.world.isTrashed(file));
    case 'starred':
      return isEqual(file.starredBy.includes(context.person));
    case 'sharedWithMe':
      return isEqual(file.sharedWith[context.person] !== undefined);
    case 'modifiedTime':
      return time(file.modifiedTime);
    case 'createdTime':
      return time(file.createdTime);
    case 'viewedByMeTime':
      return time(file.viewedBy[context.person]);
    case 'sharedWithMeTime':
      return time(file.sharedWith[context.person]?.time);
    case 'visibility':
      return isEqual(visibilityOf(context, file));
    default:
      return isEqual(file.shortcut?.targetId);
  }
}

/** Compares two numbers with an operator. */
export function compareNumbers(found: number, operator: Operator, value: number): boolean {
  switch (operator) {
    case '<':
      return found < value;
    case '<=':
      return found <= value;
    case '>':
      return found > value;
    case '>=':
      return found >= value;
    default:
      return (found === value) === (operator === '=');
  }
}

/** Drive matches word prefixes in names, not substrings. */
export function containsWordPrefix(text: string, searched: string): boolean {
  const within = text.toLowerCase();
  const sought = searched.toLowerCase();
  if (sought === '') return true;
  for (let at = within.indexOf(sought); at >= 0; at = within.indexOf(sought, at + 1)) {
    const before = Array.from(within.slice(0, at)).at(-1) ?? ' ';
    if (!/[\p{L}\p{N}]/u.test(before) || /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(within[at]!))
      return true;
  }
  return false;
}

const readable = /^text\/|^application\/(json|xml|yaml)/;
const maxSearchedBytes = 1_000_000;

function matchesFullText(context: DriveContext, file: FileRow, searched: string): boolean {
  const text = `${file.name}\n${file.description ?? ''}\n${contentText(context, file)}`.toLowerCase();
  const phrase = /^"(.*)"$/s.exec(searched)?.[1];
  if (phrase !== undefined) return containsWordPrefix(text, phrase);
  const words = searched
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word !== '');
  return words.length > 0 && words.every((word) => containsWordPrefix(text, word));
}

function contentText(context: DriveContext, file: FileRow): string {
  if (isNative(file.mimeType)) return searchableText(file);
  const content = context.world.contentOf(file);
  if (!content || !('bytes' in content) || content.length > maxSearchedBytes || !readable.test(file.mimeType))
    return '';
  return new TextDecoder().decode(content.bytes as Uint8Array);
}

function visibilityOf({ world }: DriveContext, file: FileRow): string {
  const permissions = permissionsOf(world, file).map(({ row }) => row);
  const open = permissions.find(({ type }) => type === 'anyone');
  if (open) return open.allowFileDiscovery ? 'anyoneCanFind' : 'anyoneWithLink';
  const domain = permissions.find(({ type }) => type === 'domain');
  if (domain) return domain.allowFileDiscovery ? 'domainCanFind' : 'domainWithLink';
  return 'limited';
}

function isIn(context: DriveContext, file: FileRow, list: string, value: string): boolean {
  const { world, person } = context;
  if (list === 'parents') return file.parent === (value === 'root' ? world.root(person) : value);
  const email = value === 'me' ? personForKey(person).email : value;
  if (list === 'owners') return file.owner !== undefined && personForKey(file.owner).email === email;
  const writes = ['writer', 'fileOrganizer', 'organizer', 'owner'];
  return permissionsOf(world, file).some(
    ({ row }) => row.emailAddress === email && (list === 'readers' || writes.includes(row.role)),
  );
}
