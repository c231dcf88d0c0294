import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { type Database, eachAcrossOrganizations, fromNow } from './database.js';

/** A session of the console; times are milliseconds since 1970. */
export interface ConsoleSession {
  readonly clientId: string;
  readonly expiresAt: number;
}

/** Sessions of the console, and links that begin one. */
export interface ConsoleSessions {
  /** Begins a session; its token is given here and never again. */
  begin(clientId: string): Promise<ConsoleSession & { readonly token: string }>;
  get(token: string): Promise<ConsoleSession | undefined>;
  end(token: string): Promise<void>;
  /** Makes the secret of a link, which begins one session within ten minutes. */
  createLink(clientId: string): Promise<string>;
  /** Begins the session of a link, once. */
  redeemLink(secret: string): Promise<(ConsoleSession & { readonly token: string }) | undefined>;
  /** Takes out what has expired. */
  sweep(): Promise<void>;
}

const sessionMs = 12 * 60 * 60 * 1000;
const linkMs = 10 * 60 * 1000;

/** The sessions in the database, where a client that is deleted takes its own along. */
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
  // As a client, which a session stands for.
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
    async end(token) {
      await query.deleteFrom('console_sessions').where('digest', '=', digestOf(token)).execute();
    },
    async createLink(clientId) {
      return (await add('console_links', clientId, linkMs)).token;
    },
    redeemLink: (secret) =>
      database.transaction(async () => {
        // Whoever takes it away has it: of two who follow it at once, one.
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

/** What a token is stored as: it is random and long, so that a plain digest keeps it. */
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
