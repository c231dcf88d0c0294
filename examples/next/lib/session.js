import { cookies } from 'next/headers';

// Replace these with your product's sign-in. Next.js loads this file more than once, so the sessions are global.
const users = new Map([
  ['ada', 'lovelace'],
  ['grace', 'hopper'],
]);
globalThis.sessions ??= new Map();

export const currentSession = async () => globalThis.sessions.get((await cookies()).get('session')?.value);

export async function signIn(form) {
  'use server';
  const user = form.get('user');
  if (users.get(user) !== form.get('password')) return;
  const id = crypto.randomUUID();
  globalThis.sessions.set(id, { user });
  (await cookies()).set('session', id, { httpOnly: true, sameSite: 'lax' });
}
