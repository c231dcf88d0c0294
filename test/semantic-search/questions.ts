import questionsOfTheCompany from './questions.json' with { type: 'json' };
import questionsOfTheWorkspace from './workspace-questions.json' with { type: 'json' };

/** The kind of a question. */
export const kinds = ['keyword', 'rephrased', 'misspelt', 'named', 'question'] as const;

/** A field that supports semantic search. */
export interface Field {
  /** The connector's type. */
  readonly type: string;
  readonly entity: string;
  readonly field: string;
}

/** A record that a question is about. */
export interface Relevant {
  /** The record's id at the vendor. */
  readonly id: string;
  /** A readable name of the record. */
  readonly name: string;
  /** 2 if it answers the question, 1 if it is on the topic. */
  readonly grade: number;
  /** Parts of the record's text, each of which is enough to show that the record is relevant. */
  readonly quotes: readonly string[];
}

/** A prompt, the field it searches, and the relevant records. */
export interface Question extends Field {
  readonly prompt: string;
  readonly kind: string;
  readonly relevant: readonly Relevant[];
}

/** The labeled questions. */
export const questions: readonly Question[] = questionsOfTheCompany;

/** A record that answers a question about a whole workspace: a call is one record, whichever entity it was found in. */
export interface WorkspaceRecord {
  readonly type: string;
  readonly entity: string;
  readonly id: string;
  readonly name: string;
  readonly grade: number;
}

/** A prompt for a whole workspace, and every relevant record. */
export interface WorkspaceQuestion {
  readonly prompt: string;
  /** One of `workspaceKinds`. */
  readonly kind: string;
  readonly relevant: readonly WorkspaceRecord[];
}

/** The kind of a question about the whole workspace. */
export const workspaceKinds = ['title', 'metadata', 'join', 'paraphrase', 'words'] as const;

/** The questions about the whole workspace, with relevance judged by a record's full contents. */
export const workspaceQuestions: readonly WorkspaceQuestion[] = questionsOfTheWorkspace;

/** A record's key in the whole workspace. */
export const recordKey = (type: string, id: string): string => `${type} ${id}`;

/** The fields that support semantic search, by entity; for calls, the transcript field. */
const fieldsOf: Readonly<Record<string, Omit<Field, 'type'>>> = {
  issues: { entity: 'issues', field: 'description' },
  comments: { entity: 'comments', field: 'body' },
  notes: { entity: 'notes', field: 'summary_markdown' },
  calls: { entity: 'call_transcripts', field: 'transcript' },
  files: { entity: 'files', field: 'content' },
};

/** The workspace questions in the same form as the others, with records identified by their keys. */
export const ofWorkspace: readonly Question[] = workspaceQuestions.map(({ relevant, ...rest }) => ({
  ...rest,
  type: 'workspace',
  entity: 'workspace',
  field: 'all',
  relevant: relevant.map(({ type, id, name, grade }) => ({ id: recordKey(type, id), name, grade, quotes: [] })),
}));

/** The workspace questions that a single field can answer, each for the field that contains its first answer. */
export const ofFields: readonly Question[] = workspaceQuestions.flatMap(({ relevant, ...rest }) => {
  const answer = relevant.find(({ grade }) => grade === 2)!;
  const field = fieldsOf[answer.entity];
  const own = relevant.filter(({ type, entity }) => type === answer.type && entity === answer.entity);
  const records = own.map(({ type, id, name, grade }) => ({ id: recordKey(type, id), name, grade, quotes: [] }));
  return field ? [{ ...rest, type: answer.type, ...field, relevant: records }] : [];
});

/** Whether a string contains a quote, ignoring whitespace, case, Markdown and table markup. */
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
