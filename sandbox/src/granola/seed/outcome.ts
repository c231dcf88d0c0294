import { customers } from '../../company.js';
import { Random } from '../../random.js';
import { circumstances, parts, troubles } from '../../topics.js';
import type { Meeting, NoteRow } from '../rows.js';

/** A subject and its important points. */
export interface Subject {
  name: string;
  points: string[];
}

/** An action item. */
export interface Action {
  /** The owner's index among the participants. */
  owner: number;
  task: string;
}

/** The outcome of a meeting, contained in its summary and transcript. */
export interface Outcome {
  subjects: Subject[];
  actions: Action[];
}

/** The deterministic outcome of a note's meeting. */
export function outcomeOf({ meeting, turns, seed }: NoteRow): Outcome {
  const random = new Random(seed);
  const count = Math.min(40, Math.max(2, Math.round(turns / 35)));
  const subjects = Array.from({ length: count }, (_, index) => ({
    name: index === 0 ? mainSubject(random, meeting) : troubleIn(random, meeting.team),
    points: pickSeveral(random, points, 2).map((point) => fillTemplate(random, point, meeting)),
  }));
  if (meeting.subject) subjects.unshift({ ...meeting.subject, points: [...meeting.subject.points] });
  const tasks = pickSeveral(random, tasksFor, Math.min(4, 1 + meeting.participants.length));
  const colleagues = meeting.participants.flatMap(({ key }, index) => (key === null ? [] : [index]));
  const actions = tasks.map((task, index) => ({
    owner: colleagues[index % colleagues.length]!,
    task: fillTemplate(random, task, meeting),
  }));
  return { subjects, actions };
}

/** A note's summary in both formats. */
export function summaryOf(note: NoteRow): { text: string; markdown: string } {
  const { subjects, actions } = outcomeOf(note);
  const { participants } = note.meeting;
  const sections = subjects.map(
    ({ name, points }) => `### ${name}\n\n${points.map((point) => `- ${point}`).join('\n')}`,
  );
  const steps = actions.map(({ owner, task }) => `- **${participants[owner]!.name}** will ${task}`);
  const markdown = [...sections, `### Next steps\n\n${steps.join('\n')}`].join('\n\n');
  return { markdown, text: markdown.replaceAll(/^### /gm, '').replaceAll('**', '') };
}

/** Fills a template's placeholders from the meeting. */
export function fillTemplate(random: Random, text: string, meeting: Meeting): string {
  const placeholders: Record<string, () => string> = {
    customer: () => meeting.customer ?? random.pick(customers),
    part: () => lowerFirst(random.pick(parts[meeting.team] ?? parts.ENG!)),
    project: () => meeting.project ?? 'the release',
    number: () => String(random.between(2, 48)),
    day: () => random.pick(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']),
  };
  return text.replaceAll(/\{(\w+)\}/g, (_, gap: string) => placeholders[gap]!());
}

function mainSubject(random: Random, { project, customer, team }: Meeting): string {
  if (project && customer) return `${project} for ${customer}`;
  return project ?? (customer ? `What ${customer} needs next` : troubleIn(random, team));
}

function troubleIn(random: Random, team: string): string {
  return `${random.pick(parts[team] ?? parts.ENG!)} ${random.pick(troubles)} ${random.pick(circumstances)}`;
}

function pickSeveral<Item>(random: Random, list: readonly Item[], count: number): Item[] {
  const first = random.between(0, list.length - 1);
  return Array.from({ length: count }, (_, step) => list[(first + step * 5) % list.length]!);
}

function lowerFirst(name: string): string {
  return /^[A-Z]{2}/.test(name) ? name : name.charAt(0).toLowerCase() + name.slice(1);
}

const points = [
  'About {number} customers see it, {customer} among them.',
  'The cause is a retry without an idempotency key.',
  'We ship the fix behind a flag, and only then for everyone.',
  'Nobody owned the alert, so it stayed unnoticed for {number} days.',
  'The {part} has to wait until {project} is through.',
  'The numbers of last night are better: p95 went from 12 s to 1.9 s.',
  'It does not go into this release, but into the one after.',
  'The old way stays for {number} more weeks, then it goes.',
  'Support answers with the workaround until {day}.',
  '{customer} can live with it until the end of the month.',
  'We need a decision on the price before {day}.',
  'The test data has no account in CHF, which is why nobody saw it.',
  'Two people are enough for it if the {part} is left out.',
];

const tasksFor = [
  'write the failing test by {day}',
  'send {customer} the dates',
  'look at the {part} again and tell us on {day}',
  'update the runbook',
  'measure it once more with {number} accounts',
  'book a follow-up for {day}',
  'put the decision into the project’s description',
];
