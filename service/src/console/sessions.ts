import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '../state/database.js';

/** A session of the console; times are milliseconds since 1970. */
export interface ConsoleSession {
  readonly clientId: string;
  readonly expiresAt: number;
}

/** Sessions of the console, and links that begin one. */
export interface ConsoleSessions {
  /** Begins a session; its token is given here and never again. */
  begin(clientId: string): ConsoleSession & { readonly token: string };
  get(token: string): ConsoleSession | undefined;
  end(token: string): void;
  /** Makes the secret of a link, which begins one session within ten minutes. */
  link(clientId: string): string;
  /** Begins the session of a link, once. */
  follow(secret: string): ReturnType<ConsoleSessions['begin']> | undefined;
  /** Takes out what has expired. */
  sweep(): void;
}

const sessionMs = 12 * 60 * 60 * 1000;
const linkMs = 10 * 60 * 1000;

interface Columns {
  readonly client_id: string;
  readonly expires_at: number;
}

/** The sessions in the database, where a client that is deleted takes its own along. */
export function openConsoleSessions(database: Database, now: () => number): ConsoleSessions {
  const add = (table: 'console_sessions' | 'console_links', clientId: string, lasts: number) => {
    const token = randomBytes(32).toString('base64url');
    const expiresAt = now() + lasts;
    database.run(
      `INSERT INTO ${table} (digest, client_id, expires_at) VALUES (?, ?, ?)`,
      digestOf(token),
      clientId,
      expiresAt,
    );
    return { token, clientId, expiresAt };
  };
  const sweep = () => {
    for (const table of ['console_sessions', 'console_links']) {
      database.run(`DELETE FROM ${table} WHERE expires_at <= ?`, now());
    }
  };
  const begin = (clientId: string) =>
    database.transaction(() => {
      sweep();
      return add('console_sessions', clientId, sessionMs);
    });
  return {
    begin,
    get(token) {
      const row = database.get<Columns>(
        'SELECT client_id, expires_at FROM console_sessions WHERE digest = ? AND expires_at > ?',
        digestOf(token),
        now(),
      );
      return row && { clientId: row.client_id, expiresAt: row.expires_at };
    },
    end(token) {
      database.run('DELETE FROM console_sessions WHERE digest = ?', digestOf(token));
    },
    link: (clientId) => add('console_links', clientId, linkMs).token,
    follow: (secret) =>
      database.transaction(() => {
        const row = database.get<Columns>(
          'SELECT client_id, expires_at FROM console_links WHERE digest = ? AND expires_at > ?',
          digestOf(secret),
          now(),
        );
        database.run('DELETE FROM console_links WHERE digest = ?', digestOf(secret));
        return row && begin(row.client_id);
      }),
    sweep,
  };
}

/** What a token is stored as: it is random and long, so that a plain digest keeps it. */
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
