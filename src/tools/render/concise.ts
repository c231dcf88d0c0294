import { shapeData, type View, viewData } from '../../call/shape.js';
import type { ActionDescription } from '../../manifest/describe.js';
import { formsOf } from '../schema.js';
import { objectOf } from './text.js';

/** Data reduced to a view, and a hint about the rest. */
export interface Viewed {
  /** The records with the selected fields. */
  readonly data: unknown;
  /** The same records with long texts truncated. */
  readonly short: unknown;
  readonly hints: readonly string[];
}

/** How a result is requested. */
export interface Viewing {
  readonly view: View;
  readonly selectFields: readonly string[] | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Maximum characters per text in a list; texts of single records are not truncated. */
const maxTextLength = 300;

const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Collects the paths of omitted values. */
function addOmitted(whole: unknown, kept: unknown, path: string, found: Set<string>): void {
  if (Array.isArray(whole)) {
    for (const [index, item] of whole.entries()) addOmitted(item, (kept as unknown[])?.[index], path, found);
    return;
  }
  const record = objectOf(whole);
  if (!record) return;
  const keptPart = objectOf(kept);
  for (const key of Object.keys(record)) {
    const value = record[key];
    const isOmitted = keptPart !== undefined && !Object.hasOwn(keptPart, key);
    // What is kept as it is has nothing omitted in it.
    if (isEmpty(value) || (!isOmitted && (typeof value !== 'object' || value === keptPart?.[key]))) continue;
    if (isOmitted) found.add(path + key);
    else addOmitted(value, keptPart?.[key], `${path}${key}.`, found);
  }
}

const maxNames = 6;

/** Lists the fields omitted by the concise view. Names that are not in the description may be external. */
function omissionHint(omitted: ReadonlySet<string>, { data }: ActionDescription): string | undefined {
  if (omitted.size === 0) return undefined;
  const known = formsOf(data).flatMap(({ properties = {} }) => Object.keys(properties));
  const names = [...omitted].filter((path) => known.includes(path)).slice(0, maxNames);
  const more = names.length < omitted.size ? ', …' : '';
  const which = names.length === 0 ? '' : ` (${names.join(', ')}${more})`;
  const count = omitted.size === 1 ? '1 other field' : `${omitted.size} other fields`;
  return `concise view: ${count}${which}; view: "full" or select_fields for more.`;
}

const hasLongText = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length > maxTextLength
    : typeof value === 'object' && value !== null && Object.values(value).some(hasLongText);

/** Reduces a result to the requested view. */
export function viewed(data: unknown, action: ActionDescription, { view, selectFields, params }: Viewing): Viewed {
  const kept = viewData(data, action.concise, { view, selectFields }, params);
  const omitted = new Set<string>();
  if (kept !== data) addOmitted(data, kept, '', omitted);
  const hint = omissionHint(omitted, action);
  const hints = hint === undefined ? [] : [hint];
  // The search determines a passage's length, and a transcript is read as a whole.
  const isWhole = view === 'full' || action.layout?.transcript !== undefined || 'semantic' in params;
  if (isWhole || !Array.isArray(kept) || kept.length < 2 || !hasLongText(kept))
    return { data: kept, short: kept, hints };
  return {
    data: kept,
    short: shapeData(kept, { maxStringLength: maxTextLength }),
    hints: [...hints, `Text is truncated at ${maxTextLength} characters; view: "full" shows the full text.`],
  };
}
