import type { Choice, Identity } from 'agent-connectors/setup';
import type { Setups } from '../../data/state/setup-types.js';
import type { CredentialFields } from '../../domain/connectors/instances.js';
import type { ReplicationConfig } from '../api/connector-input.js';
import type { ConnectMethod } from './connect-methods.js';

/** Result of one cheap read of an entity. */
export interface EntityTrial {
  readonly entity: string;
  /** Why it cannot be read; null if it can. */
  readonly error: string | null;
}

/** Choices listed by the vendor, or why listing failed. */
export interface ListedChoices {
  readonly choices: readonly Choice[];
  readonly error: string | null;
}

/** Credentials that the vendor accepted, and what it returned. */
export interface VerifiedConnection {
  readonly type: string;
  readonly mode: string;
  readonly credentials: CredentialFields;
  readonly identity: Identity;
  readonly entities: readonly EntityTrial[];
  /** Keyed by `replication_config` field. */
  readonly choices: Readonly<Record<string, ListedChoices>>;
  /** What the user has chosen in the vendor's picker; undefined if the credentials are not limited to that. */
  readonly chosen?: readonly Choice[] | undefined;
}

/** Tokens that replaced the entered ones before verification finished; the entered ones may no longer work. */
export interface RenewedTokens {
  readonly type: string;
  readonly mode: string;
  /** As entered by the user. */
  readonly entered: CredentialFields;
  readonly credentials: CredentialFields;
}

/** The last method tried, which the next page expands. */
export interface LastAttempt {
  readonly mode: string;
  readonly kind: ConnectMethod['kind'];
  /** The user's own application; not a secret. */
  readonly clientId?: string | undefined;
}

/** Choices preset by the program that started the setup. */
export interface PresetConfig {
  readonly replicationConfig: ReplicationConfig;
  readonly settings: Readonly<Record<string, boolean>>;
}

/** A consent request that is still pending. */
export interface PendingConsent {
  readonly type: string;
  readonly mode: string;
  readonly kind: ConnectMethod['kind'];
  readonly clientId: string;
  readonly clientSecret: string;
  readonly verifier: string;
  readonly redirect: string;
  /** The setup's own token, used to return to its URL. */
  readonly token: string;
}

/** A setup's state, kept between steps. */
export interface Draft {
  /** Whether the user, rather than the program, chose the type. */
  readonly isTypeChosenByUser?: boolean | undefined;
  readonly preset?: PresetConfig | undefined;
  readonly consent?: PendingConsent | undefined;
  readonly renewedTokens?: RenewedTokens | undefined;
  readonly connection?: VerifiedConnection | undefined;
  readonly lastAttempt?: LastAttempt | undefined;
  /** The cookie of the browser in which this was entered. */
  readonly browser?: string | undefined;
  /** A message about the previous step. */
  readonly notice?: string | undefined;
}

/** The part of a draft that is kept when new credentials are entered. */
export const retainedDraft = ({ isTypeChosenByUser, preset, browser }: Draft): Draft => ({
  isTypeChosenByUser,
  preset,
  browser,
});

export const readDraft = async (setups: Setups, id: string): Promise<Draft> =>
  JSON.parse((await setups.loadDraft(id)) ?? '{}');

/** Saves a draft; false if the setup is no longer pending. */
export const saveDraft = async (setups: Setups, id: string, draft: Draft): Promise<boolean> =>
  setups.saveDraft(id, JSON.stringify(draft));
