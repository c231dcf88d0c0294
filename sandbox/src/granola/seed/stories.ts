import { contacts, people } from '../../company.js';
import { stories } from '../../company-stories.js';
import { type Story, startTimeOf } from '../../stories.js';
import type { NoteRow, Participant } from '../rows.js';

/** Replaces some customer meetings with the stories' meetings, newest first. */
export function withStories(notes: readonly NoteRow[], start: number): NoteRow[] {
  const result = [...notes];
  const isFree = ({ meeting, isDeleted, ready }: NoteRow) =>
    meeting.customer !== null && meeting.folders.includes('Customers') && !isDeleted && ready <= start;
  const freeIndexes = notes.flatMap((note, noteIndex) => (isFree(note) ? [noteIndex] : []));
  if (freeIndexes.length < stories.length) return result;
  for (const [index, story] of stories.entries()) {
    const noteIndex = freeIndexes[index]!;
    result[noteIndex] = applyStory(notes[noteIndex]!, story, start);
  }
  return result.sort((one, other) => other.created - one.created);
}

function applyStory(note: NoteRow, story: Story, start: number): NoteRow {
  const created = startTimeOf(story, start);
  const ended = created + story.minutes * 60_000;
  const [host, colleague] = [story.host, story.colleague].map(colleagueOf);
  const guests = contacts.filter(({ customer }) => customer === story.customer);
  return {
    ...note,
    meeting: {
      ...note.meeting,
      title: story.title,
      customer: story.customer,
      project: story.project,
      team: story.issue.team,
      participants: [host!, colleague!, ...guests.map(({ name, email }) => ({ key: null, name, email }))],
      folders: ['Customers', story.customer],
      subject: { name: story.subject, points: story.points },
    },
    owner: { key: host!.key!, name: note.owner.name === null ? null : host!.name, email: host!.email },
    created,
    ended,
    ready: ended,
    updated: Math.min(ended + (note.updated - note.ended), start - 60_000),
  };
}

function colleagueOf(key: string): Participant {
  const { name, email } = people.find((person) => person.key === key)!;
  return { key, name, email };
}
