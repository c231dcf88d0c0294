import questionsOfTheCompany from './questions.json' with { type: 'json' };

/** What kind of prompt a question is. */
export const kinds = ['keyword', 'rephrased', 'misspelt', 'named', 'question'] as const;

/** A field that is searched by meaning. */
export interface Field {
  /** The connector's type. */
  readonly type: string;
  readonly entity: string;
  readonly field: string;
}

/** A record that a question is about. */
export interface Relevant {
  /** The record's id as the vendor gives it. */
  readonly id: string;
  /** What a person would call the record. */
  readonly name: string;
  /** 2 where it answers the question, 1 where it is on the topic. */
  readonly grade: number;
  /** Pieces of its text, each of which alone shows why. */
  readonly quotes: readonly string[];
}

/** A prompt, the field that it is asked of, and the records that are relevant to it. */
export interface Question extends Field {
  readonly prompt: string;
  readonly kind: string;
  readonly relevant: readonly Relevant[];
}

/** The labelled questions. */
export const questions: readonly Question[] = questionsOfTheCompany;

/** Whether a text says a quote, whatever the spaces, capitals and marks of markdown or tables. */
export function containsQuote(text: string, quote: string): boolean {
  return plain(text).includes(plain(quote));
}

function plain(text: string): string {
  return text
    .replaceAll(/[*_#>|`]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
