import { createHash, randomBytes } from 'node:crypto';
import type { Database } from './database.js';

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

interface Columns {
  readonly client_id: string;
  readonly expires_at: number;
}

/** The sessions in the database, where a client that is deleted takes its own along. */
export function openConsoleSessions(database: Database): ConsoleSessions {
  const add = async (table: 'console_sessions' | 'console_links', clientId: string, lifetimeMs: number) => {
    const token = randomBytes(32).toString('base64url');
    const row = await database.get<Pick<Columns, 'expires_at'>>(
      `INSERT INTO ${table} (digest, client_id, expires_at) VALUES (?, ?, :now + ${lifetimeMs}) RETURNING expires_at`,
      digestOf(token),
      clientId,
    );
    return { token, clientId, expiresAt: row!.expires_at };
  };
  const sweep = async () => {
    for (const table of ['console_sessions', 'console_links']) {
      await database.run(`DELETE FROM ${table} WHERE expires_at <= :now`);
    }
  };
  const begin = (clientId: string) =>
    database.transaction(async () => {
      await sweep();
      return add('console_sessions', clientId, sessionMs);
    });
  return {
    begin,
    async get(token) {
      const row = await database.get<Columns>(
        'SELECT client_id, expires_at FROM console_sessions WHERE digest = ? AND expires_at > :now',
        digestOf(token),
      );
      return row && { clientId: row.client_id, expiresAt: row.expires_at };
    },
    async end(token) {
      await database.run('DELETE FROM console_sessions WHERE digest = ?', digestOf(token));
    },
    async createLink(clientId) {
      return (await add('console_links', clientId, linkMs)).token;
    },
    redeemLink: (secret) =>
      database.transaction(async () => {
        // Whoever takes it away has it: of two who follow it at once, one.
        const row = await database.get<{ client_id: string; is_over: number }>(
          `DELETE FROM console_links WHERE digest = ?
           RETURNING client_id, CASE WHEN expires_at <= :now THEN 1 ELSE 0 END AS is_over`,
          digestOf(secret),
        );
        return row && row.is_over === 0 ? begin(row.client_id) : undefined;
      }),
    sweep,
  };
}

/** What a token is stored as: it is random and long, so that a plain digest keeps it. */
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
