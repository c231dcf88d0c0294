import { Random } from '../../random.js';
import type { VendorContext } from '../../vendor.js';
import type { Attribution, FolderRow, NoteRow, Workspace } from '../rows.js';
import { meetingAt } from './meetings.js';
import { withStories } from './stories.js';

const minute = 60_000;
const day = 1_440 * minute;
const age = 400 * day;
const notesAtScaleOne = 60;
const secondsPerTurn = 11;
/** One in this many notes was deleted after it was listed. */
const deletedEvery = 40;

/** Generates a workspace, deterministic for a given seed, scale and time. */
export function seedWorkspace({ seed, scale, start }: Pick<VendorContext, 'seed' | 'scale' | 'start'>): Workspace {
  const random = new Random(seed * 6151 + 29);
  const space = { id: idFrom(random, 'spa'), name: 'Everyone at Fernhill' };
  const folders = seedFolders(random);
  const total = Math.round(notesAtScaleOne * scale);
  const notes: NoteRow[] = total > 0 ? [unfinishedNote(random, start)] : [];
  for (let index = 0; index < total; index += 1) {
    // The exponent makes meetings more frequent toward the present.
    const share = ((index + 0.2 + random.next() * 0.6) / total) ** 1.4;
    const note = noteAt(random, index, start - 90 * minute - Math.floor(share * age), start);
    notes.push(note);
    if (index % deletedEvery === 24) notes.push(deletedCopyOf(random, note));
  }
  return { space, folders, notes: withStories(notes, start) };
}

/** A meeting that just ended: its summary appears ten minutes after the sandbox starts. */
function unfinishedNote(random: Random, start: number): NoteRow {
  const note = noteAt(random, 0, start - 25 * minute, start);
  const ended = start - 3 * minute;
  const ready = start + 10 * minute;
  return { ...note, ended, ready, updated: ready, turns: Math.round((ended - note.created) / 1000 / secondsPerTurn) };
}

function deletedCopyOf(random: Random, note: NoteRow): NoteRow {
  return { ...note, id: idFrom(random, 'not'), created: note.created - 1, isDeleted: true };
}

function noteAt(random: Random, index: number, created: number, start: number): NoteRow {
  const meeting = meetingAt(random, index);
  const { key, name, email } = meeting.participants[0]!;
  const turns = index % 60 === 3 ? random.between(1_100, 1_300) : turnsFor(random);
  const ended = Math.min(created + turns * secondsPerTurn * 1000, start - 10 * minute);
  const edited = index % 4 === 0 ? random.between(1, 72) * 60 * minute : 0;
  return {
    id: idFrom(random, 'not'),
    webId: random.uuid(),
    meeting,
    owner: { key: key!, name: index % 11 === 6 ? null : name, email },
    created,
    ended,
    updated: Math.min(ended + random.between(60, 400) * 1000 + edited, start - minute),
    ready: ended,
    isDeleted: false,
    calendarEventId: random.uuid().replaceAll('-', '').slice(0, 26),
    organiserForm: (['string', 'object', 'null'] as const)[index % 3]!,
    attribution: attributionAt(index),
    turns,
    hasMarkdown: index % 17 !== 8,
    privateNotes: random.chance(0.6) ? random.pick(scribbles) : null,
    seed: random.between(1, 2 ** 31),
  };
}

function turnsFor(random: Random): number {
  return random.chance(0.15) ? random.between(130, 200) : random.between(24, 90);
}

function attributionAt(index: number): Attribution {
  if (index % 7 === 2) return 'ios';
  if (index % 5 === 4) return 'bare';
  return index % 2 === 0 ? 'named' : 'attributed';
}

const scribbles = [
  '- ask about the budget\n- do not mention the pilot yet',
  '- sounded unhappy with the price, call again alone',
  'Follow up: **who decides?**',
  '- 給与の件は次回\n- check the numbers before Thursday',
  '- promised nothing',
];

/** Folder names with their parents. */
const tree = [
  ['Customers', null],
  ['Northwind Dairy', 'Customers'],
  ['Calder & Sons', 'Customers'],
  ['Kestrel Health', 'Customers'],
  ['Product', null],
  ['Roadmap', 'Product'],
  ['Quarterly planning', 'Roadmap'],
  ['Engineering', null],
  ['Incidents 🔥', 'Engineering'],
  ['Team weeklies', 'Engineering'],
  ['Hiring', null],
] as const;

/** The workspace's folders, three levels deep; the hiring folder is empty. */
function seedFolders(random: Random): FolderRow[] {
  const folders: FolderRow[] = [];
  for (const [name, parent] of tree) {
    const parentId = folders.find((folder) => folder.name === parent)?.id ?? null;
    folders.push({ id: idFrom(random, 'fol'), name, parentId });
  }
  return folders;
}

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new id in Granola's format: a prefix and fourteen letters or digits. */
function idFrom(random: Random, prefix: string): string {
  return `${prefix}_${Array.from({ length: 14 }, () => random.pick([...letters])).join('')}`;
}
