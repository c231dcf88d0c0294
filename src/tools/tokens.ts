const encoder = new TextEncoder();

/** Length of a string in UTF-8 bytes. */
export const bytesOf = (text: string): number => encoder.encode(text).length;

/** The first text within the limit, or the last one if none fits. */
export function firstThatFits(limit: number, texts: ReadonlyArray<() => string>): string {
  let text = '';
  for (const write of texts) {
    text = write();
    if (bytesOf(text) <= limit) break;
  }
  return text;
}

/** Counts the tokens in a text. */
export type CountTokens = (text: string) => number;

/** The most tokens that a result may have, and their counter. */
export interface OutputBudget {
  readonly max: number;
  readonly count: CountTokens;
}

const pieces = /[A-Z]?[a-z]+|[A-Z]+|\d+|\s+|\P{ASCII}|[!-/:-@[-`{-~]+|\p{Cc}/gu;
const hasVowel = /[aeiouy]/i;

/** A high estimate of a piece's token count. */
function tokensOfPiece(piece: string): number {
  const { length } = piece;
  const code = piece.codePointAt(0)!;
  if (code >= 0x80) return code < 0x800 ? 1 : code < 0x10000 ? 1.5 : 3;
  if (code >= 0x30 && code <= 0x39) return Math.ceil(length / 3);
  const isWord = /^[A-Z]?[a-z]/.test(piece) && hasVowel.test(piece);
  if (isWord) return Math.ceil(length / 4);
  if (/^[A-Za-z]/.test(piece)) return Math.ceil(length / 1.6);
  // A space belongs to the following word.
  if (/^\s/.test(piece)) return piece === ' ' ? 0 : Math.ceil(length / 8);
  return Math.ceil(length / 2);
}

/**
 * Estimates tokens, erring on the high side: 2.5 characters per token in tables and JSON, 3 in prose, 1.3 in base64.
 * Measured on records, code and prose in several languages, the estimate is 1 to 1.4 times the count of the cl100k and
 * o200k tokenizers.
 */
export const estimateTokens: CountTokens = (text) => {
  let tokens = 0;
  for (const [piece] of text.matchAll(pieces)) tokens += tokensOfPiece(piece);
  return Math.ceil(tokens);
};

/** Whether text fits the budget; does not count its tokens if it is far too long. */
export const fits = (text: string, { max, count }: OutputBudget): boolean =>
  // No token in a result has this many characters.
  text.length <= max * 16 && count(text) <= max;
