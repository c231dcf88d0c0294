import { createHash } from 'node:crypto';
import type { Question } from './questions.js';

/** Whether a question is one of the 66 used to choose between rankings; the other 52 only verify the choice. */
export const isTuningQuestion = ({ prompt }: Question): boolean =>
  createHash('sha256').update(prompt).digest()[0]! % 2 === 0;
