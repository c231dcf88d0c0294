/** Sign-in: a few users with passwords, and sessions in memory. Replace it with your product's sign-in. */
import { randomUUID, scryptSync, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Session, User } from './connections.js';

const cookie = 'lantern';
const hash = (password: string, salt: string) => scryptSync(password, salt, 32);

/** Signs users in and out. */
export function createSignIn(users: ReadonlyArray<User & { readonly password: string }>, origin: string) {
  const sessions = new Map<string, Session>();
  const secure = origin.startsWith('https:');
  const accounts = users.map(({ id, email, password }) => ({ user: { id, email }, hash: hash(password, id) }));

  return {
    session: (c: Context) => sessions.get(getCookie(c, cookie) ?? ''),
    /** Whether the password is correct; the session gets a new id. */
    signIn(c: Context, email: string, password: string): boolean {
      const account = accounts.find(({ user }) => user.email === email);
      // Takes just as long for an unknown email address.
      const given = hash(password, account?.user.id ?? '');
      if (!account || !timingSafeEqual(given, account.hash)) return false;
      const id = randomUUID();
      sessions.set(id, { user: account.user });
      // Lax, since users return from the connect page through a link on another site.
      setCookie(c, cookie, id, { httpOnly: true, sameSite: 'Lax', secure, path: '/' });
      return true;
    },
    signOut(c: Context): void {
      sessions.delete(deleteCookie(c, cookie, { path: '/' }) ?? '');
    },
  };
}
