import questionsOfTheCompany from './questions.json' with { type: 'json' };
import questionsOfTheWorkspace from './workspace-questions.json' with { type: 'json' };

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

/** A record that answers a question asked of a whole workspace: a call is one record, whichever entity tells of it. */
export interface WorkspaceRecord {
  readonly type: string;
  readonly entity: string;
  readonly id: string;
  readonly name: string;
  readonly grade: number;
}

/** A prompt asked of a whole workspace, and every record that is relevant to it. */
export interface WorkspaceQuestion {
  readonly prompt: string;
  /** One of `workspaceKinds`. */
  readonly kind: string;
  readonly relevant: readonly WorkspaceRecord[];
}

/** What kind of prompt a question asked of the whole workspace is. */
export const workspaceKinds = ['title', 'metadata', 'join', 'paraphrase', 'words'] as const;

/** The questions asked of the whole workspace, judged by everything that is known of a record. */
export const workspaceQuestions: readonly WorkspaceQuestion[] = questionsOfTheWorkspace;

/** A record's key in the whole workspace. */
export const recordKey = (type: string, id: string): string => `${type} ${id}`;

/** The fields that can be searched by meaning, of the entities that have any; calls are asked of their transcripts. */
const fieldsOf: Readonly<Record<string, Omit<Field, 'type'>>> = {
  issues: { entity: 'issues', field: 'description' },
  comments: { entity: 'comments', field: 'body' },
  notes: { entity: 'notes', field: 'summary_markdown' },
  calls: { entity: 'call_transcripts', field: 'transcript' },
  files: { entity: 'files', field: 'content' },
};

/** The workspace's questions in the form of the others, each record by its key. */
export const ofWorkspace: readonly Question[] = workspaceQuestions.map(({ relevant, ...rest }) => ({
  ...{ ...rest, type: 'workspace', entity: 'workspace', field: 'all' },
  relevant: relevant.map(({ type, id, name, grade }) => ({ id: recordKey(type, id), name, grade, quotes: [] })),
}));

/** Those of them that one field can answer, each asked of the field that its first answer has. */
export const ofFields: readonly Question[] = workspaceQuestions.flatMap(({ relevant, ...rest }) => {
  const answer = relevant.find(({ grade }) => grade === 2)!;
  const field = fieldsOf[answer.entity];
  const own = relevant.filter(({ type, entity }) => type === answer.type && entity === answer.entity);
  const records = own.map(({ type, id, name, grade }) => ({ id: recordKey(type, id), name, grade, quotes: [] }));
  return field ? [{ ...rest, type: answer.type, ...field, relevant: records }] : [];
});

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
