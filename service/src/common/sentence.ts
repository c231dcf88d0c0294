/** Adds final punctuation to text that has none. */
export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
