import * as z from 'zod';

/** Seconds from the start, as a number or a clock time such as 12:30 or 1:02:30. */
const offset = (description: string) =>
  z
    .union(
      [
        z.number().min(0),
        z
          .string()
          .regex(/^(?:\d+:[0-5]?\d|\d{1,3}):[0-5]\d$/)
          .transform((clock) => clock.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0)),
      ],
      { error: 'must be seconds from the start of the transcript, or a time such as 12:30 or 1:02:30' },
    )
    .optional()
    .describe(`${description}: seconds from the start of the transcript, or a time such as 12:30.`)
    .meta({ extension: true });

const texts = (description: string) =>
  z
    .union([z.string().trim().min(1), z.array(z.string().trim().min(1)).min(1)])
    .optional()
    .describe(description)
    .meta({ extension: true });

/** Parameters that select lines of transcripts; the vendor does not receive them. */
export const transcriptParams = {
  contains: texts('Only lines with this text, or any of these texts; case is ignored.'),
  speaker: texts(
    'Only lines of this speaker, or any of these: an id, an email address or a part of a name; case is ignored.',
  ),
  from: offset('Only what was said after this time'),
  to: offset('Only what was said before this time'),
};

/** Which lines of transcripts to return. */
export interface LineSelection {
  readonly contains?: string | readonly string[] | undefined;
  readonly speaker?: string | readonly string[] | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A sentence, or what one speaker said without a pause. */
export interface TranscriptLine {
  readonly text: string | null | undefined;
  /** What identifies the speaker as a whole, such as an id or an email address. */
  readonly speakerIds: readonly unknown[];
  readonly speakerName: unknown;
  /** Milliseconds since any time that all lines of the transcript share. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Separates the parameters that select lines from those for the vendor; the selection is undefined if empty. */
export function lineSelectionIn<P extends LineSelection>({ contains, speaker, from, to, ...sent }: P) {
  const isEmpty = [contains, speaker, from, to].every((value) => value === undefined);
  return { sent, selection: isEmpty ? undefined : ({ contains, speaker, from, to } satisfies LineSelection) };
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ');

/** A check for text that contains any of the given ones, or is one of `whole`; undefined allows all. */
function containing(given: string | readonly string[] | undefined) {
  if (given === undefined) return () => true;
  const parts = [given].flat().map((part) => folded(part));
  return (text: unknown, whole: readonly unknown[] = []): boolean =>
    (typeof text === 'string' && parts.some((part) => folded(text).includes(part))) ||
    whole.some((id) => typeof id === 'string' && parts.includes(folded(id)));
}

/** Arguments of `refine` for parameters that select lines: `to` must not be before `from`. */
export const linePeriod: [check: (selection: LineSelection) => boolean, params: { path: string[]; error: string }] = [
  ({ from = 0, to = from }) => from <= to,
  { path: ['to'], error: 'is before from' },
];

/** A check for the selected lines of a transcript that starts at a time in milliseconds. */
export function lineFilter({ contains, speaker, from = 0, to }: LineSelection, startMs: number) {
  const [hasText, isSpeaker] = [containing(contains), containing(speaker)];
  const begin = startMs + from * 1_000;
  const end = to === undefined ? Number.POSITIVE_INFINITY : startMs + to * 1_000;
  return (line: TranscriptLine): boolean =>
    !(line.endMs <= begin && from > 0) &&
    !(line.startMs >= end) &&
    isSpeaker(line.speakerName, line.speakerIds) &&
    hasText(line.text);
}
