import type { NoteRow } from '../rows.js';
import { outcomeOf } from './outcome.js';

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
