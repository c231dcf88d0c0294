/** Whose request it is: every query of tenants' data takes one, so that none can forget it. */
export interface Scope {
  /** Organization that it belongs to. */
  readonly organizationId: string;
  /** Present where the token is for one workspace alone. */
  readonly workspaceId?: string | undefined;
  /** Present where a grant is for these connectors alone. */
  readonly connectorIds?: readonly string[] | undefined;
}

/** A customer of whoever hosts the service. */
export interface Organization {
  /** Id of the organization. */
  readonly id: string;
  /** Name of the organization. */
  readonly name: string;
  /** When it was made; ISO 8601. */
  readonly createdAt: string;
}

/** A part of an organisation; connectors live in one. */
export interface Workspace {
  /** Id of the workspace. */
  readonly id: string;
  /** Organization that it belongs to. */
  readonly organizationId: string;
  /** Name, unique in the organization. */
  readonly name: string;
  /** When it was made; ISO 8601. */
  readonly createdAt: string;
}

/** What clients and tokens can be allowed, in the order in which it is listed. */
export const tokenScopes = ['read', 'write', 'manage', 'admin'] as const;

/** One thing that a client or a token may be allowed. */
export type TokenScope = (typeof tokenScopes)[number];

/** A person on whose behalf records are read. */
export interface Person {
  /** In lower case. */
  readonly email: string;
  /** E-mail addresses of groups that the person is in; in lower case. */
  readonly groups: readonly string[];
}

/** A program that may ask for tokens. */
export interface Client {
  /** Id of the client. */
  readonly id: string;
  /** Name of the client, for people. */
  readonly name: string;
  /** The organisations that it may act in; the first made comes first. */
  readonly organizationIds: readonly string[];
  /** What its tokens may do at most. */
  readonly scopes: readonly TokenScope[];
  /** The person that all its tokens and grants are bound to; null where they are not. */
  readonly asUser: Person | null;
  /** When it was made; ISO 8601. */
  readonly createdAt: string;
}

/** What is wrong with a connector. */
export type ConnectorHealth = 'needs_reauthorization' | 'failing';

/** A connector that the service holds; its credentials are in the vault. */
export interface ConnectorRow {
  /** Id of the connector. */
  readonly id: string;
  /** Organization that it belongs to. */
  readonly organizationId: string;
  /** Workspace that it belongs to. */
  readonly workspaceId: string;
  /** Name of that workspace. */
  readonly workspaceName: string;
  /** Name, unique in the workspace. */
  readonly name: string;
  /** Type name, such as `linear`. */
  readonly type: string;
  /** What is replicated, and how often. */
  readonly replicationConfig: Readonly<Record<string, unknown>> | null;
  /** The connector's own settings, such as `includePrivate`. */
  readonly settings: Readonly<Record<string, boolean>>;
  /** When it was made; ISO 8601. */
  readonly createdAt: string;
  /** When it was last changed; ISO 8601. */
  readonly updatedAt: string;
  /** The vendor’s id of the account; null where it is not known. */
  readonly account: string | null;
  /** What is wrong with it, as far as the last sync or call has told; null where all is well. */
  readonly health: ConnectorHealth | null;
}

/** Which page of a list. */
export interface PageOf {
  readonly limit: number;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
}

/** Thrown where a name is taken or a thing is in use; `message` can be shown. */
export class StateConflict extends Error {
  override readonly name = 'StateConflict';
}

/** Thrown where an organization has as many of something as it may have; `message` and `hint` can be shown. */
export class QuotaReached extends Error {
  override readonly name = 'QuotaReached';
  readonly hint: string;

  constructor(what: 'workspaces' | 'connectors', max: number) {
    super(`The organization has reached its limit of ${max} ${what}.`);
    this.hint = `Delete ${what} that are no longer used, or ask the operator of the service to raise ${what}PerOrganization in --limits.`;
  }
}

/** Thrown where a client has as many setups waiting for a person as it may have, which passes; `message` and `hint` can be shown. */
export class TooManySetups extends Error {
  override readonly name = 'TooManySetups';
  readonly hint =
    'Cancel some, wait until they expire, or ask the operator of the service to raise setupsPerClient in --limits.';

  constructor(max: number) {
    super(`${max} setups and connect sessions of this client are already open.`);
  }
}

const unknownCursor = 'The cursor is not valid for this list; start over without it.';

/** Thrown by a list that has pages for a cursor that it never gave. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
}

/** Where a page ended: the next begins behind it. */
export interface Position {
  readonly createdAt: string;
  readonly id: string;
}

/** Writes a position as text whose inside is nobody's business. */
export const writeCursor = ({ createdAt, id }: Position): string =>
  Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');

/** Reads a cursor that `writeCursor` wrote, and refuses everything else. */
export function readCursor(cursor: string): Position {
  const [createdAt, id] = parseList(cursor);
  const isPosition = typeof createdAt === 'string' && typeof id === 'string' && /^[a-z]+_\w+$/.test(id);
  if (isPosition && writeCursor({ createdAt, id }) === cursor) return { createdAt, id };
  throw new InvalidCursor(unknownCursor);
}

/** The same for a list whose times are milliseconds since 1970, and whose ids begin with `prefix`. */
export function readTimeCursor(cursor: string, prefix: string): { readonly createdAt: number; readonly id: string } {
  const { createdAt, id } = readCursor(cursor);
  if (/^\d{1,15}$/.test(createdAt) && id.startsWith(`${prefix}_`)) return { createdAt: Number(createdAt), id };
  throw new InvalidCursor(unknownCursor);
}

function parseList(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
