import { useEffect, useState } from 'preact/hooks';
import type { SessionAnswer } from '../../src/web/console/types.js';
import { ErrorNotice, Loading } from './components/notice.js';
import { ApiError, actFor, api, whenSignedOut } from './data/api.js';
import { useConnectors } from './data/follow.js';
import { Frame } from './frame.js';
import { SignIn } from './pages/sign-in.js';
import { ConsoleContext } from './session.js';

type Known =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'out'; readonly note?: string }
  | { readonly state: 'in'; readonly session: SessionAnswer };

const sessionPath = '/console/session';
const remembered = 'organization';

/** The console: signed in or not. */
export function App() {
  const [known, setKnown] = useState<Known>({ state: 'loading' });
  useEffect(() => {
    whenSignedOut(() =>
      setKnown((before) =>
        before.state === 'in' ? { state: 'out', note: 'Your session has ended. Sign in again to go on.' } : before,
      ),
    );
    begin().then(setKnown, (error: Error) => setKnown({ state: 'failed', error }));
  }, []);
  if (known.state === 'loading') return <Loading what="the console" />;
  if (known.state === 'failed') {
    return (
      <main class="alone">
        <h1>Connectors</h1>
        <ErrorNotice error={known.error} retry={() => location.reload()} />
      </main>
    );
  }
  if (known.state === 'out') {
    return <SignIn note={known.note} signedIn={(session) => setKnown({ state: 'in', session })} />;
  }
  return <Inside session={known.session} signedOut={() => setKnown({ state: 'out' })} />;
}

/** Takes up the session that there is, or begins the one that a link stands for. */
async function begin(): Promise<Known> {
  const link = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
  if (link !== undefined) {
    // Not left in the address, where it would be copied and kept.
    history.replaceState(null, '', location.pathname);
    try {
      return { state: 'in', session: await api<SessionAnswer>(sessionPath, { method: 'POST', json: { link } }) };
    } catch (error) {
      return { state: 'out', note: (error as Error).message };
    }
  }
  try {
    return { state: 'in', session: await api<SessionAnswer>(sessionPath) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return { state: 'out' };
    throw error;
  }
}

function Inside({ session, signedOut }: { readonly session: SessionAnswer; readonly signedOut: () => void }) {
  const ids = session.organizations.map(({ id }) => id);
  const [organization, setOrganization] = useState(() => {
    const before = sessionStorage.getItem(remembered);
    return before !== null && ids.includes(before) ? before : ids[0];
  });
  actFor(organization);
  const followed = useConnectors(organization);
  const signOut = async () => {
    await api(sessionPath, { method: 'DELETE' }).catch(() => {});
    signedOut();
  };
  const choose = (id: string) => {
    sessionStorage.setItem(remembered, id);
    setOrganization(id);
  };
  return (
    <ConsoleContext.Provider value={{ session, organization, followed }}>
      <Frame choose={choose} signOut={signOut} />
    </ConsoleContext.Provider>
  );
}
