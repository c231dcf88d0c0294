import type { Scope } from './rows.js';

/** Status of a setup; `unconfirmed` until the product confirms the credentials that a user entered. */
export type SetupStatus = 'pending' | 'unconfirmed' | 'done' | 'expired' | 'failed' | 'cancelled';

/** Branding shown to a product's users. */
export interface Brand {
  readonly name: string;
  /** A `data:` or `https:` URL. */
  readonly logo?: string | undefined;
  /** As `#rrggbb`. */
  readonly color?: string | undefined;
  readonly supportUrl?: string | undefined;
}

/** A setup started by a product or by the console, to which the user then returns. */
export interface ConnectSession {
  /** A path on the service if the console started the setup. */
  readonly returnUrl: string;
  /** Opaque to the service; returned to the product. */
  readonly state: string;
  readonly nonce: string;
  /** Names of auth methods; the simplest one if undefined. */
  readonly methods?: readonly string[] | undefined;
  /** OAuth scopes that replace the connector's own. */
  readonly scopes?: readonly string[] | undefined;
  /** Whether to ask what to replicate; otherwise presets apply. */
  readonly asks: boolean;
  /** Undefined if the console started it. */
  readonly brand?: Brand | undefined;
  readonly locale?: string | undefined;
  /** The user's name in the product. */
  readonly user?: string | undefined;
  /** Whether an existing connector gets new credentials. */
  readonly renews: boolean;
  /** Whether the new credentials may belong to a different account. */
  readonly anyAccount: boolean;
}

/** A setup: one connector that a user connects in a browser. */
export interface SetupRow {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** The client that started it. */
  readonly clientId: string;
  /** The connector's name. */
  readonly name: string;
  /** Connector type; null until chosen. */
  readonly type: string | null;
  readonly status: SetupStatus;
  /** The created connector or, until then, the one awaiting credentials. */
  readonly connectorId: string | null;
  readonly error: string | null;
  /** When the link expires, or when the setup ended; milliseconds since 1970. */
  readonly expiresAt: number;
  /** Null for a setup without a return URL. */
  readonly connect: ConnectSession | null;
}

export interface NewSetup {
  readonly workspaceId: string;
  readonly clientId: string;
  readonly name: string;
  readonly type: string | null;
  readonly connect?: ConnectSession | undefined;
  /** Lifetime in milliseconds; 30 minutes by default. */
  readonly lifetimeMs?: number | undefined;
}

/** Setups, looked up by id for tenants and by token for users with the link. */
export interface Setups {
  /**
   * Ends older setups with the same name. Throws `StateConflict` if a connector with credentials already has the name,
   * and `TooManySetups` if the limit is reached.
   */
  begin(scope: Scope, setup: NewSetup): Promise<{ readonly row: SetupRow; readonly token: string }>;
  get(scope: Scope, id: string): Promise<SetupRow | undefined>;
  getByToken(token: string): Promise<SetupRow | undefined>;
  /** The saved draft of a pending setup. */
  loadDraft(id: string): Promise<string | undefined>;
  /** Saves the draft encrypted; false if the setup is no longer pending. */
  saveDraft(id: string, draft: string): Promise<boolean>;
  /** Sets the connector type and restarts the setup with it. */
  setType(id: string, type: string | null): Promise<boolean>;
  /** Counts a credential attempt; too many attempts end the setup. */
  countAttempt(id: string): Promise<boolean>;
  /** Stores hashes of the values expected in the response from the vendor's consent page, replacing earlier ones. */
  expectConsent(id: string, state: string, browser: string, lifetimeMs: number): Promise<boolean>;
  /** Finds the pending setup that expects this response and clears the expected values. */
  takeConsent(state: string, browserOf: (id: string) => string | undefined): Promise<SetupRow | 'foreign' | undefined>;
  /** Keeps the entered data, encrypted, until the product confirms it; false if the setup is no longer pending. */
  hold(id: string, draft: string, browser: string, lifetimeMs: number): Promise<boolean>;
  /** Finishes the setup with the connector id returned by `make`; does nothing if the status is no longer `from`. */
  finish(id: string, from: 'pending' | 'unconfirmed', make: () => Promise<string>, browser?: string): Promise<boolean>;
  /** Whether the setup was finished in the browser with this cookie. */
  wasEndedBy(id: string, browser: string): Promise<boolean>;
  fail(id: string, error: string): Promise<void>;
  /** Cancels a setup; false if it has already ended. */
  cancel(id: string): Promise<boolean>;
  /** Deletes expired drafts and old setups. */
  sweep(): Promise<void>;
}
