import { currentSession, signIn } from '../lib/session.js';
import { Accounts } from './accounts.jsx';

export default async function Home() {
  const session = await currentSession();
  if (session) return <Accounts user={session.user} />;
  return (
    <form action={signIn}>
      <input name="user" aria-label="User" />
      <input name="password" type="password" aria-label="Password" />
      <button type="submit">Sign in</button>
    </form>
  );
}
