import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { type Database, eachAcrossOrganizations, fromNow } from './database.js';

/** A console session; times are milliseconds since 1970. */
export interface ConsoleSession {
  readonly clientId: string;
  readonly expiresAt: number;
}

/** Console sessions and sign-in links. */
export interface ConsoleSessions {
  /** Starts a session; the token is returned only here. */
  begin(clientId: string): Promise<ConsoleSession & { readonly token: string }>;
  get(token: string): Promise<ConsoleSession | undefined>;
  end(token: string): Promise<void>;
  /** Ends the session whose token has this digest. */
  endByDigest(digest: string): Promise<void>;
  /** Creates the secret for a sign-in link: single use, valid for ten minutes. */
  createLink(clientId: string): Promise<string>;
  /** Redeems a sign-in link for a session; works only once. */
  redeemLink(secret: string): Promise<(ConsoleSession & { readonly token: string }) | undefined>;
  /** Deletes expired sessions and links. */
  sweep(): Promise<void>;
}

const sessionMs = 12 * 60 * 60 * 1000;
const linkMs = 10 * 60 * 1000;

/** Sessions in the database; deleting a client deletes its sessions. */
export function openConsoleSessions(database: Database): ConsoleSessions {
  const { query, now } = database;
  const add = async (table: 'console_sessions' | 'console_links', clientId: string, lifetimeMs: number) => {
    const token = randomBytes(32).toString('base64url');
    const { expires_at: expiresAt } = await query
      .insertInto(table)
      .values({ digest: digestOf(token), client_id: clientId, expires_at: fromNow(database, lifetimeMs) })
      .returning('expires_at')
      .executeTakeFirstOrThrow();
    return { token, clientId, expiresAt };
  };
  const sweep = async () => {
    for (const table of ['console_sessions', 'console_links'] as const) {
      await query.deleteFrom(table).where('expires_at', '<=', now).execute();
    }
  };
  const begin = (clientId: string) =>
    database.transaction(async () => {
      await sweep();
      return add('console_sessions', clientId, sessionMs);
    });
  const end = async (digest: Buffer) => {
    await query.deleteFrom('console_sessions').where('digest', '=', digest).execute();
  };
  // Spans organizations, like the client it belongs to.
  return eachAcrossOrganizations<ConsoleSessions>({
    begin,
    async get(token) {
      const row = await query
        .selectFrom('console_sessions')
        .select(['client_id', 'expires_at'])
        .where('digest', '=', digestOf(token))
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return row && { clientId: row.client_id, expiresAt: row.expires_at };
    },
    end: (token) => end(digestOf(token)),
    endByDigest: (digest) => end(Buffer.from(digest, 'base64url')),
    async createLink(clientId) {
      return (await add('console_links', clientId, linkMs)).token;
    },
    redeemLink: (secret) =>
      database.transaction(async () => {
        // Deleting the row makes it single-use even for concurrent requests.
        const row = await query
          .deleteFrom('console_links')
          .where('digest', '=', digestOf(secret))
          .returning((eb) => [
            'client_id',
            eb.case().when('expires_at', '<=', now).then(sql.lit(1)).else(sql.lit(0)).end().as('is_over'),
          ])
          .executeTakeFirst();
        return row && row.is_over === 0 ? begin(row.client_id) : undefined;
      }),
    sweep,
  });
}

/** Stored form of a token: it is long and random, so a plain digest is enough. */
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The digest of a session's token as text: it identifies the session, and does not sign in. */
export const sessionDigest = (token: string): string => digestOf(token).toString('base64url');
