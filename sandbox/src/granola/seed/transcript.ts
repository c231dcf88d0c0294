import { Random } from '../../random.js';
import type { NoteRow } from '../rows.js';
import { dialogOf } from './dialog.js';

/** A transcript turn in a response. */
export interface Utterance {
  speaker: { source: string; attribution?: 'me' | 'them'; diarization_label?: string; name?: string };
  text: string;
  start_time: string;
  end_time: string;
}

/** The deterministic transcript of a note's meeting. */
export function transcriptOf(note: NoteRow): Utterance[] {
  const lines = dialogOf(note);
  const random = new Random(note.seed ^ 0x51de);
  const pace = (note.ended - note.created) / lines.length;
  return lines.map(({ participantIndex, text }, index) => {
    const begin = note.created + Math.floor((index + random.next() * 0.2) * pace);
    const end = begin + Math.floor(pace * (0.3 + random.next() * 0.45));
    const speaker = speakerOf(note, participantIndex, index);
    return { speaker, text, start_time: new Date(begin).toISOString(), end_time: new Date(end).toISOString() };
  });
}

function speakerOf({ attribution, meeting }: NoteRow, participantIndex: number, index: number): Utterance['speaker'] {
  const source = participantIndex === 0 || attribution === 'ios' ? 'microphone' : 'speaker';
  const side = participantIndex === 0 ? 'me' : 'them';
  const { name } = meeting.participants[participantIndex]!;
  switch (attribution) {
    case 'ios':
      return { source, diarization_label: `Speaker ${String.fromCharCode(65 + participantIndex)}` };
    case 'bare':
      return { source };
    case 'attributed':
      return { source, attribution: side };
    case 'named':
      // Voices are not always recognized.
      return index % 9 === 8 ? { source, attribution: side } : { source, attribution: side, name };
  }
}
