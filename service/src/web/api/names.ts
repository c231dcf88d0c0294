import * as z from 'zod';

/** Whether a text is well formed and has no control character: of a parameter with NUL, SQLite reads what precedes it. */
export const isPlainText = (text: string): boolean => !/[\p{Cc}\p{Cs}]/u.test(text);

const message = 'must not hold control characters';

/** The schema of an id, a secret or a name that is looked up. */
export const identifier = (maxLength: number, minLength = 1) =>
  z.string().min(minLength).max(maxLength).refine(isPlainText, message);

/** The schema of a name that a person gives. */
export const label = (description: string) =>
  z.string().trim().min(1).max(200).refine(isPlainText, message).describe(description);
