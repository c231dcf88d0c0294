import { createHash } from 'node:crypto';
import type { Question } from './questions.js';

/** Whether a question is one of those that decide between ways to rank, of which there are 66; the other 52 only check what was decided. */
export const isTuningQuestion = ({ prompt }: Question): boolean =>
  createHash('sha256').update(prompt).digest()[0]! % 2 === 0;
