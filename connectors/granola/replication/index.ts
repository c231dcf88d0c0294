import {
  markdownSegments,
  plainSegments,
  type Replication,
  type Segment,
  type StoredRecord,
} from '../../../src/authoring.js';
import type { Note } from '../records.js';
import { folderList } from './folders.js';
import { maxPageSize } from './pages.js';
import { canReadListed, listedIds, read, readNotes } from './read.js';

/** Segments of a note's summary, which Granola may send only as plain text. */
function summarySegments({ summary_markdown, summary_text }: StoredRecord): Iterable<Segment> {
  if (typeof summary_markdown === 'string' && summary_markdown.trim() !== '') return markdownSegments(summary_markdown);
  return typeof summary_text === 'string' ? plainSegments(summary_text) : [];
}

/** The transcript turn by turn, each with the speaker's name if known. */
function* transcriptSegments(record: StoredRecord): Iterable<Segment> {
  const { transcript, owner } = record as Partial<Note>;
  for (const { speaker, text } of transcript ?? []) {
    const { name, attribution } = (speaker ?? {}) as { name?: string | null; attribution?: string };
    // "me" is the note's owner.
    const who = name ?? (attribution === 'me' ? owner?.name : undefined);
    yield { text: who ? `${who}: ${text ?? ''}` : (text ?? '') };
  }
}

/** Average time between page requests, which uses up to 1,800 of the 18,000 requests allowed per hour. */
const sweepMsPerPage = 2_000;

/** Replication of Granola's notes. */
export const replication: Replication = {
  interval: '5m',
  calls: { folders: folderList },
  entities: {
    notes: {
      read,
      withheld: () => [
        'Granola provides only notes that have a summary and a transcript and that the API key may read.',
      ],
      sweep: {
        everyMs: (records) => Math.ceil(records / maxPageSize) * sweepMsPerPage,
        ids: listedIds,
        read: readNotes,
        controlRead: canReadListed,
      },
      fallbacks: { summary_markdown: 'summary_text' },
      segments: { summary_markdown: summarySegments, transcript: transcriptSegments },
    },
  },
};
