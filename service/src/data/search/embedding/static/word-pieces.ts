/** Splits text into word pieces from BERT's uncased vocabularies, following the rules of the reference tokenizer. */

const control = /[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
/** CJK ideographs, each of which is a word, in the blocks listed by the reference tokenizer. */
const ideograph =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
const asciiWord = /[a-z0-9]+|[^a-z0-9\s]/g;
const word = /[!-/:-@[-`{-~\p{P}]|[^\s!-/:-@[-`{-~\p{P}]+/gu;

/** The words in a text, lowercased and without accents; each punctuation mark and ideograph is a word. */
export function wordsOf(text: string): readonly string[] {
  if (/^[\t\n\r -~]*$/.test(text)) return text.toLowerCase().match(asciiWord) ?? [];
  const plain = text
    .replace(control, '')
    .replace(ideograph, ' $& ')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '');
  // A final sigma becomes a regular one.
  return plain.replaceAll('Σ', 'σ').toLowerCase().match(word) ?? [];
}

/** Maximum word length in code points; longer words are treated as unknown. */
const maxWordLength = 100;

/** Splits words into pieces: greedily, longest match first. */
export class WordPieces {
  readonly #first = new Map<string, number>();
  /** Pieces that continue a word, without the `##` prefix. */
  readonly #next = new Map<string, number>();
  readonly #longest: number;

  /** A piece's index is its id. */
  constructor(pieces: readonly string[]) {
    for (const [id, piece] of pieces.entries()) {
      if (piece.startsWith('##') && piece.length > 2) this.#next.set(piece.slice(2), id);
      else this.#first.set(piece, id);
    }
    this.#longest = pieces.reduce((longest, { length }) => Math.max(longest, length), 0);
  }

  /** Ids of a text's pieces; a word that cannot be split is omitted, or replaced with `unknown` if given. */
  idsOf(text: string, unknown?: number): number[] {
    const ids: number[] = [];
    for (const one of wordsOf(text)) {
      const whole = this.#first.get(one);
      if (whole !== undefined) ids.push(whole);
      else if (!this.#split(one, ids) && unknown !== undefined) ids.push(unknown);
    }
    return ids;
  }

  /** Adds the ids of a word's pieces, or none if part of it is unknown. */
  #split(one: string, ids: number[]): boolean {
    const before = ids.length;
    const known = one.length <= maxWordLength || Array.from(one).length <= maxWordLength;
    for (let start = 0; known && start < one.length; ) {
      const pieces = start === 0 ? this.#first : this.#next;
      let end = Math.min(one.length, start + this.#longest);
      let id = pieces.get(one.slice(start, end));
      while (id === undefined && end > start + 1) id = pieces.get(one.slice(start, --end));
      if (id === undefined) {
        ids.length = before;
        return false;
      }
      ids.push(id);
      start = end;
    }
    return known;
  }
}
