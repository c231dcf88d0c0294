import type { Choice, Identity } from 'agent-connectors/setup';
import type { CredentialFields } from '../connectors/credentials.js';
import type { Setups } from '../state/setups.js';

/** What became of one cheap read of an entity. */
export interface EntityTrial {
  readonly entity: string;
  /** Why it cannot be read; null where it can. */
  readonly error: string | null;
}

/** Things to pick from, as the vendor listed them, or why it did not. */
export interface ListedChoices {
  readonly choices: readonly Choice[];
  readonly error: string | null;
}

/** Credentials that the vendor took, and what it showed. */
export interface Connected {
  readonly type: string;
  readonly mode: string;
  readonly credentials: CredentialFields;
  readonly identity: Identity;
  readonly entities: readonly EntityTrial[];
  /** By the field of `replication_config` that takes what is picked. */
  readonly choices: Readonly<Record<string, ListedChoices>>;
}

/** A consent that was asked for at the vendor and has not been answered. */
export interface AskedConsent {
  readonly type: string;
  readonly mode: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly verifier: string;
  readonly redirect: string;
  /** The setup's own token, to come back to its address. */
  readonly token: string;
}

/** What of a setup is kept from step to step. */
export interface Draft {
  /** Whether the person, rather than the program, has chosen the type. */
  readonly chosenHere?: boolean | undefined;
  readonly asked?: AskedConsent | undefined;
  readonly connected?: Connected | undefined;
  /** What the person is to be told about the step before. */
  readonly notice?: string | undefined;
}

/** Reads the draft of a setup. */
export const readDraft = (setups: Setups, id: string): Draft => {
  const text = setups.draft(id);
  return text === undefined ? {} : JSON.parse(text);
};

/** Keeps a draft, and says whether the setup is still pending. */
export const keepDraft = (setups: Setups, id: string, draft: Draft): boolean => setups.keep(id, JSON.stringify(draft));
