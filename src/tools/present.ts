import { fenced, hiddenNotice, markFor, type VisibleText, warning } from './fence.js';
import { endOfPart, handleOf, type Remainder, type Remainders } from './remainder.js';
import { fits, type TokenBudget } from './tokens.js';

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
  readonly handle: string | undefined;
}

const firstPartNotice = 'This is the first part. ';

/** Results with more tokens get a hint on how to reduce them. */
const largeResultTokens = 5_000;

function writerOf({ content, count, title, provenance, mark: chosen }: PresentableResult) {
  // Use one mark for all parts, so that each part has the token count that was measured.
  const mark = chosen && !content.text.includes(chosen) ? chosen : markFor(content.text);
  const counted = count === undefined ? '' : count === 1 ? '1 record. ' : `${count} records. `;
  const write = (part: string, hints: readonly string[], cut = '') =>
    [
      ...hiddenNotice(content.hidden),
      `${counted}${cut}${warning(title)}`,
      fenced(part, provenance, mark),
      ...hints,
    ].join('\n');
  return { write, mark };
}

/** A result rendered without truncation, with all hints. */
export const wholeText = (result: PresentableResult): string =>
  writerOf(result).write(result.content.text, [...result.hints, result.narrow()]);

/** Renders a fenced result within the token limit. */
export function present(result: PresentableResult, budget: TokenBudget, remainders: Remainders): Presentation {
  const { write, mark } = writerOf(result);
  const { text } = result.content;
  const isLarge = !fits(text, { ...budget, max: Math.min(largeResultTokens, budget.max / 2) });
  const hints = isLarge ? [...result.hints, result.narrow()] : result.hints;
  const whole = write(text, hints);
  if (fits(whole, budget)) return { text: whole, hints, handle: undefined };
  const name = remainders.store({ text, provenance: result.provenance, title: result.title, mark });
  const hintsAt = (end: number) => [...hints, cutHint(name, end, text.length)];
  const end = endOfPart(text, 0, budget, (part, at) => write(part, hintsAt(at), firstPartNotice));
  const handle = name && handleOf(name, end);
  return { text: write(text.slice(0, end), hintsAt(end), firstPartNotice), hints: hintsAt(end), handle };
}

const cutHint = (name: string | undefined, end: number, length: number) =>
  name === undefined
    ? `Truncated: the result has ${length} characters, too many to keep. Request less data.`
    : `Truncated: the full result has ${length} characters. To read on, pass continue: "${handleOf(name, end)}" within 15 minutes.`;

/** The next part of a truncated result. */
export function presentRest(
  { text, from, name, provenance, title, mark }: Remainder & { name: string },
  budget: TokenBudget,
) {
  const write = (part: string, hint: string) => [warning(title), fenced(part, provenance, mark), hint].join('\n');
  const more = (end: number) =>
    end < text.length ? `For more, pass continue: "${handleOf(name, end)}".` : 'This is the last part.';
  const end = endOfPart(text, from, budget, (part, at) => write(part, more(at)));
  const handle = end < text.length ? handleOf(name, end) : undefined;
  return { text: write(text.slice(from, end), more(end)), hints: [more(end)], handle };
}
