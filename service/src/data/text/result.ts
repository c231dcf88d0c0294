import type { FileText, TextCause } from 'agent-connectors/replication';

/** What a reader returns: a file's text, and what is missing from it. */
export type Extract = string | { readonly text: string; readonly missing?: Missing | undefined };

/** Why a part of a text is missing. */
export interface Missing {
  readonly cause: TextCause;
  readonly detail: string;
  /** Whether it is left out on purpose. */
  readonly permanent?: true;
}

/** What a reader knows about a file besides its content. */
export interface ReadOptions {
  readonly mimeType: string;
  /** Whether to include content that the author has hidden, marked as such. */
  readonly indexesHidden?: boolean | undefined;
  /** Reads a document that the file contains; undefined for an image or a recording. */
  readonly readInner?: (bytes: Uint8Array, name: string) => Promise<FileText | undefined>;
}
