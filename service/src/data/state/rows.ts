import type { TokenScope } from 'agent-connectors/wire';

export { type TokenScope, tokenScopes } from 'agent-connectors/wire';

/** The caller's scope: every tenant query requires one, so none can omit it. */
export interface Scope {
  /** The organization that the caller works in. */
  readonly organizationId: string;
  /** Set for a token restricted to one workspace. */
  readonly workspaceId?: string | undefined;
  /** Set for a grant restricted to these connectors. */
  readonly connectorIds?: readonly string[] | undefined;
}

/** A customer of the operator. */
export interface Organization {
  /** Id of the organization. */
  readonly id: string;
  /** Name of the organization. */
  readonly name: string;
  /** When it was created; ISO 8601. */
  readonly createdAt: string;
}

/** A part of an organization that contains connectors. */
export interface Workspace {
  /** Id of the workspace. */
  readonly id: string;
  /** Organization that it belongs to. */
  readonly organizationId: string;
  /** Name, unique in the organization. */
  readonly name: string;
  /** When it was created; ISO 8601. */
  readonly createdAt: string;
}

/** A user on whose behalf records are read. */
export interface Person {
  /** In lower case. */
  readonly email: string;
  /** Email addresses of the user's groups, in lower case. */
  readonly groups: readonly string[];
}

/** A program that can request tokens. */
export interface Client {
  /** Id of the client. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** Organizations it can act in, oldest first. */
  readonly organizationIds: readonly string[];
  /** Maximum scopes that its tokens can have. */
  readonly scopes: readonly TokenScope[];
  /** The user that all its tokens and grants are bound to; null if none. */
  readonly asUser: Person | null;
  /** Tokens of an earlier generation have ended. */
  readonly tokenGeneration: number;
  /** Ids of tokens that have been revoked and have not expired. */
  readonly revokedTokens: readonly string[];
  /** When it was created; ISO 8601. */
  readonly createdAt: string;
}

/** A problem with a connector. */
export type ConnectorHealth = 'needs_reauthorization' | 'failing';

/** A connector; its credentials are stored separately. */
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
  /** What to replicate, and how often. */
  readonly replicationConfig: Readonly<Record<string, unknown>> | null;
  /** Connector-specific settings, such as `includePrivate`. */
  readonly settings: Readonly<Record<string, boolean>>;
  /** When it was created; ISO 8601. */
  readonly createdAt: string;
  /** When it was last changed; ISO 8601. */
  readonly updatedAt: string;
  /** The vendor's id for the account; null if unknown. */
  readonly account: string | null;
  /** Problem found by the last sync or call; null if there is none. */
  readonly health: ConnectorHealth | null;
  /** Raised whenever the credentials are replaced, but not when a token is refreshed. */
  readonly credentialsVersion: number;
}

/** Page of a list. */
export interface PageOf {
  readonly limit: number;
  /** `next` from the previous page. */
  readonly cursor?: string | undefined;
}

/** A name is taken or an object is in use. `message` is safe to show. */
export class StateConflict extends Error {
  override readonly name = 'StateConflict';
}

/** An organization has reached a quota; `message` and `hint` are safe to show. */
export class QuotaReached extends Error {
  override readonly name = 'QuotaReached';
  readonly hint: string;

  constructor(what: 'workspaces' | 'connectors', max: number) {
    super(`The organization has reached its limit of ${max} ${what}.`);
    this.hint = `Delete unused ${what}, or ask the service operator to raise ${what}PerOrganization in --limits.`;
  }
}

/** A client temporarily has too many pending setups; `message` and `hint` are safe to show. */
export class TooManySetups extends Error {
  override readonly name = 'TooManySetups';
  readonly hint =
    'Cancel some, wait until they expire, or ask the service operator to raise setupsPerClient in --limits.';

  constructor(max: number) {
    super(`${max} setups and connect sessions are already open for this client.`);
  }
}

const unknownCursor = 'The cursor is not valid for this list; start over without it.';

/** A paginated list received a cursor it did not issue. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
}

/** Where a page ended; the next one starts after it. */
export interface ListPosition {
  readonly createdAt: string;
  readonly id: string;
}

/** Encodes a position as an opaque cursor. */
export const writeCursor = ({ createdAt, id }: ListPosition): string =>
  Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');

/** Decodes a cursor from `writeCursor`; rejects everything else. */
export function readCursor(cursor: string): ListPosition {
  const [createdAt, id] = parseList(cursor);
  const isPosition = typeof createdAt === 'string' && typeof id === 'string' && /^[a-z]+_\w+$/.test(id);
  if (isPosition && writeCursor({ createdAt, id }) === cursor) return { createdAt, id };
  throw new InvalidCursor(unknownCursor);
}

/** Decodes a cursor for lists with times in milliseconds since 1970 and ids that start with `prefix`. */
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
