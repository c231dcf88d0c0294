import * as z from 'zod';
import { action, entity, get, idParam, linePeriod, many, one, transcriptParams } from '../../src/authoring.js';
import { noteWithTranscript, withoutPrivateNotes, withSelectedLines } from './operations.js';
import { Note, NotePage } from './records.js';
import * as searchable from './searchable.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A date, or a UTC timestamp: Granola rejects offsets (recorded: 400 "Invalid date"). */
const moment = (description: string) =>
  z
    .union([z.iso.date(), z.iso.datetime()], {
      error: 'must be a date (YYYY-MM-DD) or a UTC date-time ending in Z',
    })
    .optional()
    .describe(`${description}: YYYY-MM-DD (midnight UTC) or a UTC date-time ending in Z.`);

export const notes = entity({
  description: 'Meeting notes, available once summarized.',
  search: searchable.notes,
  actions: {
    list: action({
      description: 'List notes. Use get for summaries, attendees and transcripts.',
      params: z.strictObject({
        page_size: z.int().min(1).max(30).optional().describe('Page size, 1 to 30 (default 10).'),
        cursor: z.string().min(1).optional().describe('`cursor` from the previous page.'),
        created_before: moment('Only notes created before this time (exclusive)'),
        created_after: moment('Only notes created after this time'),
        updated_after: moment('Only notes changed after this time').meta({ extension: true }),
        folder_id: z
          .string()
          .regex(/^fol_[a-zA-Z0-9]{14}$/, 'must be a folder id, such as fol_1d3tmYTlCICgjy')
          .optional()
          .describe('Only notes in this folder and its subfolders.')
          .meta({ extension: true }),
      }),
      returns: many(Note, NotePage),
      request: (params) => get('/v1/notes', params),
      read: ({ notes, cursor, hasMore }) => ({
        data: Array.isArray(notes) ? notes.map(withoutPrivateNotes) : notes,
        meta: { cursor: cursor ?? null, has_more: hasMore === true },
      }),
      next: ({ cursor, has_more }) => has_more && { cursor: cursor ?? '' },
      example: { page_size: 20, created_after: '2026-09-01' },
    }),
    get: action({
      description:
        'Get one note with its summary and attendees. Set include to transcript to add the transcript, or select its lines with contains, speaker, from and to.',
      params: z
        .strictObject({
          note_id: idParam('From `notes.list`; starts with not_.', {
            find: ({ pathname }) => /\/notes\/(not_[a-zA-Z0-9]{14})(?:\/|$)/.exec(pathname)?.[1],
            expected: 'an id from notes.list, which starts with not_: the URLs of notes contain different ids',
          }).refine(
            (id) => !uuid.test(id),
            'is an id from a web URL; the API uses different ids, as returned by notes.list',
          ),
          include: z.enum(['transcript']).optional().describe('transcript adds the transcript.'),
          ...transcriptParams,
        })
        .refine(...linePeriod),
      returns: one(Note),
      request: noteWithTranscript,
      read: (note, params) => withSelectedLines(withoutPrivateNotes(note), params),
      example: { note_id: 'not_1d3tmYTlCICgjy', include: 'transcript' },
    }),
  },
});
