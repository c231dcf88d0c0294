import { Random } from '../../random.js';
import type { Meeting, NoteRow } from '../rows.js';
import { exchanges, thoughts } from './exchanges.js';
import { firstName } from './meetings.js';
import { type Action, filled, outcomeOf } from './outcome.js';

/** One thing said. */
export interface Line {
  /** Whose turn it is, by place among the participants. */
  who: number;
  text: string;
}

/** Everything that was said in a note's meeting, in exactly as many turns as the note has. */
export function linesOf(note: NoteRow): Line[] {
  const { meeting, turns } = note;
  const { subjects, actions } = outcomeOf(note);
  const talk = new Talk(new Random(note.seed ^ 0x7a1c), meeting);
  const closing = closingOf(meeting, actions);
  const told = subjects.reduce((sum, { points }) => sum + points.length + 1, 0);

  talk.say(0, greetingOf(meeting));
  talk.say(talk.next(), talk.isAlone ? 'Testing, testing. Good.' : 'Morning, yes, I can hear you.');
  let spare = Math.max(0, turns - talk.lines.length - told - closing.length);
  for (const [place, { name, points }] of subjects.entries()) {
    const share = Math.floor(spare / (subjects.length - place));
    spare -= share;
    talk.say(0, place === 0 ? `Let us begin with this: ${name}.` : `Next one. ${name}.`);
    talk.discuss(points, share);
  }
  return [...talk.lines, ...closing];
}

/** A talk as it goes on. */
class Talk {
  readonly lines: Line[] = [];
  readonly isAlone: boolean;
  private readonly random: Random;
  private readonly meeting: Meeting;
  private readonly deck: (readonly string[])[];

  constructor(random: Random, meeting: Meeting) {
    this.random = random;
    this.meeting = meeting;
    this.isAlone = meeting.participants.length === 1;
    this.deck = shuffled(random, this.isAlone ? thoughts : exchanges);
  }

  say(who: number, text: string): void {
    this.lines.push({ who, text });
  }

  /** Somebody other than the one who spoke last. */
  next(): number {
    if (this.isAlone) return 0;
    const last = this.lines.at(-1)?.who ?? 0;
    if (last !== 0 && this.random.chance(0.6)) return 0;
    const step = this.random.between(1, this.meeting.participants.length - 1);
    return (last + step) % this.meeting.participants.length;
  }

  /** Says the points, spread among so many lines of other talk. */
  discuss(points: readonly string[], others: number): void {
    let untold = [...points];
    let room = others;
    while (room > 0 || untold.length > 0) {
      const [point, ...rest] = untold;
      const isDue = room * (points.length + 1) <= others * untold.length;
      if (point !== undefined && isDue) {
        this.say(this.next(), point);
        untold = rest;
      } else room -= this.exchange(room);
    }
  }

  private exchange(room: number): number {
    const [drawn] = this.deck.splice(
      this.deck.findIndex(({ length }) => length <= room),
      1,
    );
    // At the bottom of the deck it comes up again only when all others have.
    this.deck.push(drawn!);
    const pair = [this.next()];
    for (const [place, text] of drawn!.entries()) {
      const who = pair[place % 2] ?? this.next();
      pair[place % 2] = who;
      this.say(who, filled(this.random, text, this.meeting));
    }
    return drawn!.length;
  }
}

function greetingOf({ participants }: Meeting): string {
  if (participants.length === 1) return 'Just me, a note before I forget it.';
  const names = participants.slice(1, 4).map(({ name }) => firstName(name));
  return `Hi ${names.join(', ')}, shall we start?`;
}

function closingOf({ participants }: Meeting, actions: readonly Action[]): Line[] {
  const lines: Line[] = [{ who: 0, text: 'Good. Who does what?' }];
  for (const { owner, task } of actions) {
    if (owner === 0) lines.push({ who: 0, text: `I will ${task}.` });
    else {
      lines.push({ who: 0, text: `${firstName(participants[owner]!.name)}, will you ${task}?` });
      lines.push({ who: owner, text: 'Yes, that is mine.' });
    }
  }
  return [...lines, { who: 0, text: participants.length === 1 ? 'That is all.' : 'Thanks everyone, talk soon.' }];
}

function shuffled<Item>(random: Random, list: readonly Item[]): Item[] {
  return list
    .map((item) => ({ item, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
