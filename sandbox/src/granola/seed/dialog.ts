import { Random } from '../../random.js';
import type { Meeting, NoteRow } from '../rows.js';
import { exchanges, thoughts } from './exchanges.js';
import { firstName } from './meetings.js';
import { type Action, fillTemplate, outcomeOf } from './outcome.js';

/** One line of dialog. */
export interface DialogLine {
  /** The speaker's index among the participants. */
  participantIndex: number;
  text: string;
}

/** The full dialog of a note's meeting, with exactly as many turns as the note has. */
export function dialogOf(note: NoteRow): DialogLine[] {
  const { meeting, turns } = note;
  const { subjects, actions } = outcomeOf(note);
  const dialog = new Dialog(new Random(note.seed ^ 0x7a1c), meeting);
  const closing = closingOf(meeting, actions);
  const pointLineCount = subjects.reduce((sum, { points }) => sum + points.length + 1, 0);

  dialog.say(0, greetingOf(meeting));
  dialog.say(dialog.next(), dialog.isAlone ? 'Testing, testing. Good.' : 'Morning, yes, I can hear you.');
  let spare = Math.max(0, turns - dialog.lines.length - pointLineCount - closing.length);
  for (const [index, { name, points }] of subjects.entries()) {
    const share = Math.floor(spare / (subjects.length - index));
    spare -= share;
    dialog.say(0, index === 0 ? `Let us begin with this: ${name}.` : `Next one. ${name}.`);
    dialog.discuss(points, share);
  }
  return [...dialog.lines, ...closing];
}

/** A dialog under construction. */
class Dialog {
  readonly lines: DialogLine[] = [];
  readonly isAlone: boolean;
  private readonly random: Random;
  private readonly meeting: Meeting;
  private readonly deck: (readonly string[])[];

  constructor(random: Random, meeting: Meeting) {
    this.random = random;
    this.meeting = meeting;
    this.isAlone = meeting.participants.length === 1;
    this.deck = shuffle(random, this.isAlone ? thoughts : exchanges);
  }

  say(who: number, text: string): void {
    this.lines.push({ participantIndex: who, text });
  }

  /** Someone other than the last speaker. */
  next(): number {
    if (this.isAlone) return 0;
    const last = this.lines.at(-1)?.participantIndex ?? 0;
    if (last !== 0 && this.random.chance(0.6)) return 0;
    const step = this.random.between(1, this.meeting.participants.length - 1);
    return (last + step) % this.meeting.participants.length;
  }

  /** Spreads the points out among the other lines of the dialog. */
  discuss(points: readonly string[], others: number): void {
    let remaining = [...points];
    let room = others;
    while (room > 0 || remaining.length > 0) {
      const [point, ...rest] = remaining;
      const isDue = room * (points.length + 1) <= others * remaining.length;
      if (point !== undefined && isDue) {
        this.say(this.next(), point);
        remaining = rest;
      } else room -= this.exchange(room);
    }
  }

  private exchange(room: number): number {
    const [drawn] = this.deck.splice(
      this.deck.findIndex(({ length }) => length <= room),
      1,
    );
    // Moved to the bottom of the deck, so that it recurs only after all others.
    this.deck.push(drawn!);
    const pair = [this.next()];
    for (const [place, text] of drawn!.entries()) {
      const who = pair[place % 2] ?? this.next();
      pair[place % 2] = who;
      this.say(who, fillTemplate(this.random, text, this.meeting));
    }
    return drawn!.length;
  }
}

function greetingOf({ participants }: Meeting): string {
  if (participants.length === 1) return 'Just me, a note before I forget it.';
  const names = participants.slice(1, 4).map(({ name }) => firstName(name));
  return `Hi ${names.join(', ')}, shall we start?`;
}

function closingOf({ participants }: Meeting, actions: readonly Action[]): DialogLine[] {
  const lines: DialogLine[] = [{ participantIndex: 0, text: 'Good. Who does what?' }];
  for (const { owner, task } of actions) {
    if (owner === 0) lines.push({ participantIndex: 0, text: `I will ${task}.` });
    else {
      lines.push({ participantIndex: 0, text: `${firstName(participants[owner]!.name)}, will you ${task}?` });
      lines.push({ participantIndex: owner, text: 'Yes, that is mine.' });
    }
  }
  return [
    ...lines,
    { participantIndex: 0, text: participants.length === 1 ? 'That is all.' : 'Thanks everyone, talk soon.' },
  ];
}

function shuffle<Item>(random: Random, list: readonly Item[]): Item[] {
  return list
    .map((item) => ({ item, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
