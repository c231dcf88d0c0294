import {
  ConnectorError,
  get,
  type HttpRequest,
  type LineSelection,
  lineFilter,
  lineSelectionIn,
  path,
  type Steps,
} from '../../src/authoring.js';

const maxPageSize = 100;

/** All turns of a transcript too large to be included in its note. */
function* wholeTranscript(address: string): Generator<HttpRequest, unknown[], any> {
  const turns: unknown[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = yield get(`${address}/transcript`, { cursor, page_size: maxPageSize });
    if (!Array.isArray(page.transcript)) throw withoutLines();
    turns.push(...page.transcript);
    if (!page.hasMore) return turns;
    if (!page.cursor || page.cursor === cursor) {
      throw new ConnectorError('invalid_response', 'Granola reported more transcript pages but sent no new cursor.');
    }
    cursor = page.cursor;
  }
}

const withoutLines = () =>
  new ConnectorError('invalid_response', 'Granola sent a transcript without its lines.', { retryable: true });

interface NoteParams extends LineSelection {
  readonly note_id: string;
  readonly include?: 'transcript' | undefined;
}

/** One note; an oversized transcript is fetched in pages and joined. */
export function* noteWithTranscript(params: NoteParams): Steps {
  const { note_id, include = lineSelectionIn(params).selection && 'transcript' } = params;
  const address = path`/v1/notes/${note_id}`;
  if (include === undefined) return yield get(address);
  let note: any;
  try {
    note = yield get(address, { include });
  } catch (error) {
    if (!ConnectorError.is(error) || error.code !== 'too_large') throw error;
    note = yield get(address);
    return { ...note, transcript: yield* wholeTranscript(address) };
  }
  if (note?.transcript === undefined) throw withoutLines();
  return note;
}

/** The owner's private notes are always removed. */
export function withoutPrivateNotes(note: any): unknown {
  if (typeof note !== 'object' || note === null) return note;
  const { private_notes_text: _text, private_notes_markdown: _markdown, ...shared } = note;
  return shared;
}

/** A note with only the selected lines of its transcript, and a note about those whose speaker has no name. */
export function withSelectedLines(note: any, params: NoteParams): { data: unknown; notes?: Array<string | false> } {
  const { selection } = lineSelectionIn(params);
  const transcript: unknown = note?.transcript;
  if (selection === undefined || !Array.isArray(transcript)) return { data: note };
  const isSelected = lineFilter(selection, Date.parse(transcript[0]?.start_time));
  const lines = transcript.filter(({ text, speaker, start_time, end_time }) =>
    isSelected({
      text,
      speakerIds: [speaker?.diarization_label, speaker?.source],
      speakerName: speaker?.name,
      startMs: Date.parse(start_time),
      endMs: Date.parse(end_time),
    }),
  );
  const nameless = selection.speaker === undefined ? 0 : transcript.filter(({ speaker }) => !speaker?.name).length;
  return {
    data: { ...note, transcript: lines },
    notes: [
      nameless > 0 &&
        `Lines whose speaker Granola does not name: ${nameless}. Select them by source: microphone or speaker.`,
    ],
  };
}
