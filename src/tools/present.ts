import { fenced, hiddenNotice, markFor, type VisibleText, warning } from './fence.js';
import { endOfPart, type PartPosition, positionsIn, resumeAt } from './parts.js';
import { fits, type OutputBudget } from './tokens.js';

/** Source of a result. */
export interface Origin {
  readonly title: string;
  readonly provenance: string;
}

/** A result as text, before truncation. */
export interface PresentableResult extends Origin {
  /** External content. */
  readonly content: VisibleText;
  /** Number of records, for a list. */
  readonly count: number | undefined;
  /** Number of records that the vendor has, if it reports more than these. */
  readonly total?: number | undefined;
  readonly hints: readonly string[];
  /** The fence's mark, if already chosen. */
  readonly mark?: string | undefined;
  /** Hint shown only if the result is truncated or large. */
  readonly narrow: () => string;
}

/** A result to present, and its data for programs. */
export interface Outgoing {
  readonly result: PresentableResult;
  readonly data: unknown;
  readonly meta: unknown;
}

/** Text for the model, and how to continue if it was truncated. */
export interface Presentation {
  readonly text: string;
  readonly hints: readonly string[];
  /** Whether the text is only a part of the result. */
  readonly isPart: boolean;
  readonly handle: string | undefined;
}

/** A result's data for programs; for a part of it, only how to continue. */
export const dataOf = ({ hints, isPart, handle }: Presentation, whole: object): object => ({
  ...(!isPart && whole),
  ...(hints.length > 0 && { hint: hints.join(' ') }),
  ...(handle !== undefined && { continue: handle }),
});

/** How much of a result to show. */
export interface Reading {
  /** Where to start; at the beginning by default. */
  readonly from?: PartPosition | undefined;
  /** Encodes where the next part starts; returns undefined if the result cannot be read again. */
  readonly handleAt: (position: PartPosition) => string | undefined;
}

/** Results with more tokens get a hint on how to reduce them, and so do truncated ones. */
const largeResultTokens = 5_000;

function writerOf({ content, count, total, title, provenance, mark: chosen }: PresentableResult) {
  // Use one mark for all attempts, so that each part has the token count that was measured.
  const all = textOf(content);
  const mark = chosen && !all.includes(chosen) ? chosen : markFor(all);
  const counted = count === undefined ? [] : [countText(count, total)];
  return (part: string, hints: readonly string[], extent: readonly string[] = []) =>
    [
      ...hiddenNotice(content.hidden),
      [...counted, ...extent, warning(title)].join(' '),
      fenced(part, provenance, mark),
      ...hints,
      // Clients cut long results in the middle or at the end, so both ends say how to read on.
      ...(extent.length > 0 ? [[...counted, ...extent].join(' ')] : []),
    ].join('\n');
}

const textOf = ({ lead = '', text }: VisibleText): string => lead + text;

const countText = (count: number, total: number | undefined): string =>
  total === undefined ? `${count} ${count === 1 ? 'record' : 'records'}.` : `${count} of ${total} records.`;

/** A result rendered without truncation, with all hints. */
export const wholeText = (result: PresentableResult): string =>
  writerOf(result)(textOf(result.content), [...result.hints, result.narrow()]);

/** Renders a fenced result within the budget, or all of it if it cannot be read in parts. */
export function present(result: PresentableResult, budget: OutputBudget, reading: Reading | undefined): Presentation {
  const write = writerOf(result);
  const text = textOf(result.content);
  const isLarge = !fits(text, { ...budget, max: Math.min(largeResultTokens, budget.max) });
  const hints = isLarge && reading ? [...result.hints, result.narrow()] : result.hints;
  if (reading?.from === undefined) {
    const whole = write(text, hints);
    if (!reading || fits(whole, budget)) return { text: whole, hints, isPart: false, handle: undefined };
  }
  return presentPart(result, budget, reading, { write, hints });
}

const changedNotice =
  'The data has changed since the previous part, so records may be missing or repeated: if that matters, start over with the original call.';

function presentPart(
  { content: { lead = '', text }, hints: ownHints }: PresentableResult,
  budget: OutputBudget,
  { from, handleAt }: Reading,
  { write, hints }: { readonly write: ReturnType<typeof writerOf>; readonly hints: readonly string[] },
): Presentation {
  const { start, isChanged } = from ? resumeAt(text, from) : { start: 0, isChanged: false };
  const changed = isChanged ? [changedNotice] : [];
  const positionAt = positionsIn(text);
  const handleUntil = (position: PartPosition) => {
    const handle = handleAt(position);
    // A call with huge parameters would leave no room for its result.
    return handle && budget.count(handle) <= budget.max / 4 ? handle : undefined;
  };
  // No handle of this result is longer, so parts are measured with it.
  const longest = handleUntil({ ...positionAt(text.length), column: text.length, anchor: 'zzzzzzz' });
  // The first part has all hints, and the last one says how to get the next page.
  const hintsUntil = (end: number) => (start === 0 ? hints : end === text.length ? ownHints : []);
  const partUntil = (part: string, end: number, handle: string | undefined) =>
    write(start === 0 ? lead + part : part, hintsUntil(end), [...changed, extentText(start, end, text.length, handle)]);
  const end = start < text.length ? endOfPart(text, start, budget, (part, at) => partUntil(part, at, longest)) : start;
  const handle = end < text.length && longest !== undefined ? handleUntil(positionAt(end)) : undefined;
  return {
    text: partUntil(text.slice(start, end), end, handle),
    hints: [...hintsUntil(end), ...changed, extentText(start, end, text.length, handle)],
    isPart: true,
    handle,
  };
}

/** Which part this is, and how to read on. */
function extentText(start: number, end: number, length: number, handle: string | undefined): string {
  if (start >= length) return 'There is nothing after the previous part.';
  const part = `Characters ${start + 1} to ${end} of ${length}.`;
  if (end === length) return `${part} This is the last part.`;
  return handle === undefined
    ? `Truncated: ${part} The rest cannot be read: request less data.`
    : `Truncated: ${part} To read on, pass only continue: "${handle}".`;
}
