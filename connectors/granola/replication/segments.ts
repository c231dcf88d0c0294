import { markdownSegments, type Segment, type StoredRecord } from '../../../src/authoring.js';
import type { Note } from '../records.js';

/** Segments of a note's summary. */
export function summarySegments({ summary_markdown }: StoredRecord): Iterable<Segment> {
  return typeof summary_markdown === 'string' ? markdownSegments(summary_markdown) : [];
}

/** The transcript turn by turn, each with the speaker's name if known. */
export function* transcriptSegments(record: StoredRecord): Iterable<Segment> {
  const { transcript, owner } = record as Partial<Note>;
  for (const { speaker, text } of transcript ?? []) {
    const { name, attribution } = (speaker ?? {}) as { name?: string | null; attribution?: string };
    // "me" is the note's owner.
    const who = name ?? (attribution === 'me' ? owner?.name : undefined);
    yield { text: who ? `${who}: ${text ?? ''}` : (text ?? '') };
  }
}
