import * as z from 'zod';
import { type RecordType, record } from '../../src/authoring.js';

const text = z.string().nullable();
const instant = text.describe('ISO 8601 with milliseconds, UTC.');

const person = z.looseObject({ name: text, email: text });
const folder = z.looseObject({ id: z.string(), object: text, name: text });
const turn = z.looseObject({
  speaker: z
    .looseObject({ source: z.string().describe('microphone or speaker; more values may be added.') })
    .nullable()
    .describe('Who spoke: { source, attribution?, diarization_label?, name? }.'),
  text,
  start_time: text.describe('Absolute time, ISO 8601.'),
  end_time: text.describe('Absolute time, ISO 8601.'),
});

/** A meeting note. Lists return only the first six fields; the others are null there. */
export const Note = record(
  {
    id: z.string(),
    object: text.describe('Always note.'),
    title: text,
    owner: person.nullable().describe('As { name, email }.'),
    created_at: instant,
    updated_at: instant,
    calendar_event: z
      .looseObject({})
      .nullable()
      .describe('The calendar event, with event_title, invitees, organiser and times; null for ad-hoc notes.'),
    attendees: z.array(person).nullable(),
    folder_membership: z.array(folder).nullable().describe('Folders that contain the note.'),
    summary_text: text,
    summary_markdown: text,
    transcript: z.array(turn).nullable().describe('Speaker turns in order. Returned only if requested with include.'),
  },
  {},
  {
    concise: ['id', 'title', 'owner.name', 'created_at', 'updated_at'],
    more: [
      'calendar_event.event_title',
      'calendar_event.scheduled_start_time',
      'calendar_event.scheduled_end_time',
      'attendees.name',
      'attendees.email',
      'folder_membership.name',
      'summary_markdown',
      'transcript',
    ],
    layout: {
      transcript: {
        turns: 'transcript',
        speaker: ['speaker.name', 'speaker.diarization_label', 'speaker.source'],
        text: 'text',
        start: 'start_time',
      },
    },
  },
);

/** A meeting note. */
export type Note = RecordType<typeof Note>;

/** Meta of the list. A page may be short or empty without being the last. */
export const NotePage = z.object({
  cursor: text.describe('Pass it as `cursor` for the next page.'),
  has_more: z.boolean(),
});
