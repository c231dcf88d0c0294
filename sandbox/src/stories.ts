import type { Contact } from './company.js';
import type { Team } from './teams.js';

/** An issue that a story turns on. */
export interface StoryIssue {
  team: Team['key'];
  /** Its number in the team: it takes the place of whatever issue would have it. */
  number: number;
  title: string;
  description: string;
  state: string;
  /** Keys of people. */
  assignee: string;
  reporter: string;
}

/** A document that a story turns on. */
export interface StoryDocument {
  title: string;
  /** Key of the person who wrote it. */
  author: string;
  text: string;
}

/** Somebody in a story's meeting: who led it, a colleague, or somebody of the customer. */
export type SpeakerRole = 'host' | 'colleague' | 'guest';

/** A meeting with a customer that several vendors know of: one as a call, one as a note, others by what came up in it. */
export interface Story {
  customer: Contact['customer'];
  project: string;
  title: string;
  /** About how many days before the sandbox began, or the last such day of the week before it, counted from Sunday as 0. */
  when: { daysAgo: number } | { lastWeekday: number };
  /** The hour in UTC. */
  hour: number;
  minutes: number;
  /** Keys of people. */
  host: string;
  colleague: string;
  subject: string;
  issue: StoryIssue;
  document?: StoryDocument;
  /** What came of it, as a note tells it. */
  points: readonly string[];
  /** How it was said. */
  dialog: readonly (readonly [SpeakerRole, string])[];
}

/** How an issue is called everywhere. */
export function identifierOf({ team, number }: StoryIssue): string {
  return `${team}-${number}`;
}

const day = 86_400_000;

/** When a story's meeting began, for a sandbox that began at the given moment. */
export function startTimeOf({ when, hour }: Story, start: number): number {
  const midnight = Math.floor(start / day) * day;
  const today = new Date(start).getUTCDay();
  if ('lastWeekday' in when) return midnight - ((today + 7 - when.lastWeekday) % 7 || 7) * day + hour * 3_600_000;
  const weekday = (today + 7 - (when.daysAgo % 7)) % 7;
  // What would fall on a weekend was on the Friday before.
  const back = weekday === 0 ? 2 : weekday === 6 ? 1 : 0;
  return midnight - (when.daysAgo + back) * day + hour * 3_600_000;
}
