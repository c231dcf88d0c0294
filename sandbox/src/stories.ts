import type { Contact } from './company.js';
import type { Team } from './teams.js';

/** An issue in a story. */
export interface StoryIssue {
  team: Team['key'];
  /** Its number in the team; replaces the generated issue with that number. */
  number: number;
  title: string;
  description: string;
  state: string;
  /** Person keys. */
  assignee: string;
  reporter: string;
}

/** A document in a story. */
export interface StoryDocument {
  title: string;
  /** The author's person key. */
  author: string;
  text: string;
}

/** Role in a story's meeting: host, colleague, or customer. */
export type SpeakerRole = 'host' | 'colleague' | 'guest';

/** A customer meeting known to several vendors: as a call, as a note, or through its subject. */
export interface Story {
  customer: Contact['customer'];
  project: string;
  title: string;
  /** Approximate days before the sandbox started, or the last given weekday before it (0 is Sunday). */
  when: { daysAgo: number } | { lastWeekday: number };
  /** Hour in UTC. */
  hour: number;
  minutes: number;
  /** Person keys. */
  host: string;
  colleague: string;
  subject: string;
  issue: StoryIssue;
  document?: StoryDocument;
  /** The meeting's results, as they appear in a note. */
  points: readonly string[];
  /** Its dialog. */
  dialog: readonly (readonly [SpeakerRole, string])[];
}

/** An issue's identifier, the same in all vendors. */
export function identifierOf({ team, number }: StoryIssue): string {
  return `${team}-${number}`;
}

const day = 86_400_000;

/** Start of a story's meeting, relative to the sandbox's start. */
export function startTimeOf({ when, hour }: Story, start: number): number {
  const midnight = Math.floor(start / day) * day;
  const today = new Date(start).getUTCDay();
  if ('lastWeekday' in when) return midnight - ((today + 7 - when.lastWeekday) % 7 || 7) * day + hour * 3_600_000;
  const weekday = (today + 7 - (when.daysAgo % 7)) % 7;
  // Weekend dates are moved to the preceding Friday.
  const back = weekday === 0 ? 2 : weekday === 6 ? 1 : 0;
  return midnight - (when.daysAgo + back) * day + hour * 3_600_000;
}
