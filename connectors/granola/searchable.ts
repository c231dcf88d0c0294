import type { Search } from '../../src/authoring.js';

const hit = { entity_fields: ['id', 'updated_at', 'title'] } as const;

/** A note's content in the context store. */
export const notes = {
  fields: {
    string: ['id', 'object', 'title', 'created_at', 'updated_at', 'summary_text', 'summary_markdown'],
    object: ['owner', 'calendar_event'],
    array: ['attendees', 'folder_membership', 'transcript'],
  },
  dateTimes: ['created_at', 'updated_at'],
  semantic: { summary_markdown: hit, transcript: hit },
  about: {
    title: ['title'],
    words: ['calendar_event.event_title', 'folder_membership.name', 'owner.name', 'attendees.name', 'attendees.email'],
  },
} as const satisfies Search;
