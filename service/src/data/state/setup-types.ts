import type { Scope } from './rows.js';

/** How far a setup has come; `unconfirmed` while the product has not confirmed the credentials that a user has given. */
export type SetupStatus = 'pending' | 'unconfirmed' | 'done' | 'expired' | 'failed' | 'cancelled';

/** What a product's users see of it. */
export interface Brand {
  readonly name: string;
  /** A `data:` or `https:` URL. */
  readonly logo?: string | undefined;
  /** As `#rrggbb`. */
  readonly color?: string | undefined;
  readonly supportUrl?: string | undefined;
}

/** What a product or the console began a setup with, which then leads the person back to it. */
export interface ConnectSession {
  /** A path of the service where the console began it. */
  readonly returnUrl: string;
  /** The product's own, given back as it is. */
  readonly state: string;
  readonly nonce: string;
  /** Names of credential modes; the easiest when left out. */
  readonly methods?: readonly string[] | undefined;
  /** OAuth scopes in place of those of the connector. */
  readonly scopes?: readonly string[] | undefined;
  /** Whether the person is asked what to replicate; else the presets are taken. */
  readonly asks: boolean;
  /** Absent where the console began it. */
  readonly brand?: Brand | undefined;
  readonly locale?: string | undefined;
  /** Whom the session is for, as they know themselves in the product. */
  readonly user?: string | undefined;
  /** Whether a connector that exists gets new credentials. */
  readonly renews: boolean;
  /** Whether these may be another account's. */
  readonly anyAccount: boolean;
}

/** A setup: one connector that a person is to connect in a browser. */
export interface SetupRow {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** The program that began it. */
  readonly clientId: string;
  /** The connector's name. */
  readonly name: string;
  /** Type name; null until it has been chosen. */
  readonly type: string | null;
  readonly status: SetupStatus;
  /** The connector that was made or, before, the one that waits for its credentials. */
  readonly connectorId: string | null;
  readonly error: string | null;
  /** Until when the address is good, and of one that has ended, since when; milliseconds since 1970. */
  readonly expiresAt: number;
  /** Null for a setup that leads back nowhere. */
  readonly connect: ConnectSession | null;
}

/** What a setup is made with. */
export interface NewSetup {
  readonly workspaceId: string;
  readonly clientId: string;
  readonly name: string;
  readonly type: string | null;
  readonly connect?: ConnectSession | undefined;
  /** Milliseconds; half an hour when left out. */
  readonly lifetimeMs?: number | undefined;
}

/** Setups: found by tenants by their id, and by whoever has the address by its token. */
export interface Setups {
  /** Ends older setups of the same name; one whose name a connector with credentials has is a `StateConflict`, one that would wait beyond the limit a `TooManySetups`. */
  begin(scope: Scope, setup: NewSetup): Promise<{ readonly row: SetupRow; readonly token: string }>;
  get(scope: Scope, id: string): Promise<SetupRow | undefined>;
  getByToken(token: string): Promise<SetupRow | undefined>;
  /** What has been kept for the next step, while the setup is pending. */
  loadDraft(id: string): Promise<string | undefined>;
  /** Keeps it sealed, and says whether the setup is still pending. */
  saveDraft(id: string, draft: string): Promise<boolean>;
  /** Says of which type the connector will be, and begins again with that. */
  setType(id: string, type: string | null): Promise<boolean>;
  /** Counts a try of credentials; one too many ends the setup. */
  countAttempt(id: string): Promise<boolean>;
  /** Remembers the hashes of what an answer from the vendor's consent page has to bring, in place of those before. */
  expectConsent(id: string, state: string, browser: string, lifetimeMs: number): Promise<boolean>;
  /** The pending setup that expects this answer, which it then does no longer. */
  takeConsent(state: string, browserOf: (id: string) => string | undefined): Promise<SetupRow | 'foreign' | undefined>;
  /** Keeps what was entered, sealed, until the product confirms it; false where the setup is no longer pending. */
  hold(id: string, draft: string, browser: string, lifetimeMs: number): Promise<boolean>;
  /** Ends the setup well with the connector that `make` gives the id of; nothing is made where its status is not `from` any more. */
  finish(id: string, from: 'pending' | 'unconfirmed', make: () => Promise<string>, browser?: string): Promise<boolean>;
  /** Whether the setup was ended in the browser that has this cookie. */
  wasEndedBy(id: string, browser: string): Promise<boolean>;
  fail(id: string, error: string): Promise<void>;
  /** Ends a setup that the person does not want; false where it has ended. */
  cancel(id: string): Promise<boolean>;
  /** Takes away drafts whose time is over, and setups that nobody asks about any more. */
  sweep(): Promise<void>;
}
