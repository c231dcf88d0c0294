/** Who is signed in: a few users with passwords, and sessions in memory. Replace it by the sign-in that your product has. */
import { randomUUID, scryptSync, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

/** A user of the product. */
export interface User {
  /** Never changes, since the user's workspace is named by it. */
  readonly id: string;
  readonly email: string;
}

/** What the server keeps while a user is signed in. The browser has the session's id alone. */
export interface Session {
  readonly user: User;
  /** The account that is being connected. */
  pending?: { readonly id: string; readonly state: string; readonly nonce: string } | undefined;
  /** Shown once, on the next page. */
  notice?: string | undefined;
}

const cookie = 'lantern';
const hash = (password: string, salt: string) => scryptSync(password, salt, 32);

/** Signs users in and out. */
export function createSignIn(users: ReadonlyArray<User & { readonly password: string }>, origin: string) {
  const sessions = new Map<string, Session>();
  const secure = origin.startsWith('https:');
  const accounts = users.map(({ id, email, password }) => ({ user: { id, email }, hash: hash(password, id) }));

  return {
    session: (c: Context) => sessions.get(getCookie(c, cookie) ?? ''),
    /** Whether the password is right; the session gets a new id. */
    signIn(c: Context, email: string, password: string): boolean {
      const account = accounts.find(({ user }) => user.email === email);
      // As slow for an email address that nobody has.
      const given = hash(password, account?.user.id ?? '');
      if (!account || !timingSafeEqual(given, account.hash)) return false;
      const id = randomUUID();
      sessions.set(id, { user: account.user });
      // Lax, since users come back from the setup page by a link of another site.
      setCookie(c, cookie, id, { httpOnly: true, sameSite: 'Lax', secure, path: '/' });
      return true;
    },
    signOut(c: Context): void {
      sessions.delete(deleteCookie(c, cookie, { path: '/' }) ?? '');
    },
  };
}
