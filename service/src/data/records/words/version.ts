/** Increase whenever a text has different words, or the same words have different terms. */
export const wordsVersion = 4;
