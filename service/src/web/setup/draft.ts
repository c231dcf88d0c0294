import type { Choice, Identity } from 'agent-connectors/setup';
import type { Setups } from '../../data/state/setup-types.js';
import type { CredentialFields } from '../../domain/connectors/credentials.js';
import type { ReplicationConfig } from '../../domain/connectors/replication.js';
import type { ConnectMethod } from './connect-methods.js';

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
export interface VerifiedConnection {
  readonly type: string;
  readonly mode: string;
  readonly credentials: CredentialFields;
  readonly identity: Identity;
  readonly entities: readonly EntityTrial[];
  /** By the field of `replication_config` that takes what is picked. */
  readonly choices: Readonly<Record<string, ListedChoices>>;
}

/** Tokens that a vendor put in the place of typed ones before anything else was known: the typed may be spent. */
export interface RenewedTokens {
  readonly type: string;
  readonly mode: string;
  /** As the person typed them. */
  readonly entered: CredentialFields;
  readonly credentials: CredentialFields;
}

/** The way that was tried last, to be shown open again. */
export interface LastAttempt {
  readonly mode: string;
  readonly kind: ConnectMethod['kind'];
  /** The person's own application; no secret. */
  readonly clientId?: string | undefined;
}

/** What the program that began the setup has picked beforehand. */
export interface PresetConfig {
  readonly replicationConfig: ReplicationConfig;
  readonly settings: Readonly<Record<string, boolean>>;
}

/** A consent that was asked for at the vendor and has not been answered. */
export interface PendingConsent {
  readonly type: string;
  readonly mode: string;
  readonly kind: ConnectMethod['kind'];
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
  readonly isTypeChosenByUser?: boolean | undefined;
  readonly preset?: PresetConfig | undefined;
  readonly consent?: PendingConsent | undefined;
  readonly renewedTokens?: RenewedTokens | undefined;
  readonly connection?: VerifiedConnection | undefined;
  readonly lastAttempt?: LastAttempt | undefined;
  /** What the cookie holds in the browser in which this was entered. */
  readonly browser?: string | undefined;
  /** What the person is to be told about the step before. */
  readonly notice?: string | undefined;
}

/** What of a draft outlives a change of credentials. */
export const retainedDraft = ({ isTypeChosenByUser, preset, browser }: Draft): Draft => ({
  ...{ isTypeChosenByUser, preset, browser },
});

/** Reads the draft of a setup. */
export const readDraft = async (setups: Setups, id: string): Promise<Draft> => {
  const text = await setups.loadDraft(id);
  if (text === undefined) return {};
  const { renewedTokens, ...draft } = withCurrentNames(JSON.parse(text));
  return {
    ...draft,
    ...(renewedTokens ? { renewedTokens: withCurrentNames(renewedTokens as object) as unknown as RenewedTokens } : {}),
  };
};

/** Names in drafts of 0.1: a setup may be in progress during an upgrade. */
const formerNames: Readonly<Record<string, string>> = {
  ...{ chosenHere: 'isTypeChosenByUser', given: 'preset', asked: 'consent', renewed: 'renewedTokens' },
  ...{ connected: 'connection', tried: 'lastAttempt', typed: 'entered' },
};

const withCurrentNames = (stored: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(stored).map(([name, value]) => [formerNames[name] ?? name, value]));

/** Keeps a draft, and says whether the setup is still pending. */
export const saveDraft = async (setups: Setups, id: string, draft: Draft): Promise<boolean> =>
  setups.saveDraft(id, JSON.stringify(draft));
