import type { ConsoleSession } from 'agent-connectors/wire';
import { useEffect, useState } from 'preact/hooks';
import { ErrorNotice, Loading } from './components/notice.js';
import { ApiError, api, setRequestOrganization, setSignedOutListener } from './data/api.js';
import { useConnectors } from './data/follow.js';
import { Frame } from './frame.js';
import { SignIn } from './pages/sign-in.js';
import { ConsoleContext } from './session.js';
import { texts } from './texts/index.js';

type SessionState =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: Error }
  | { readonly state: 'out'; readonly note?: string }
  | { readonly state: 'in'; readonly session: ConsoleSession };

const sessionPath = '/console/session';
const organizationKey = 'organization';

/** The console, signed in or not. */
export function App() {
  const [sessionState, setSessionState] = useState<SessionState>({ state: 'loading' });
  useEffect(() => {
    setSignedOutListener(() =>
      setSessionState((before) => (before.state === 'in' ? { state: 'out', note: texts.signIn.expired } : before)),
    );
    loadSession().then(setSessionState, (error: Error) => setSessionState({ state: 'failed', error }));
  }, []);
  if (sessionState.state === 'loading') return <Loading />;
  if (sessionState.state === 'failed') {
    return (
      <main class="alone">
        <h1>{texts.connectors.title}</h1>
        <ErrorNotice error={sessionState.error} retry={() => location.reload()} />
      </main>
    );
  }
  if (sessionState.state === 'out') {
    return <SignIn note={sessionState.note} onSignIn={(session) => setSessionState({ state: 'in', session })} />;
  }
  return <SignedInApp session={sessionState.session} onSignedOut={() => setSessionState({ state: 'out' })} />;
}

/** Resumes the session, or starts one from a login link. */
async function loadSession(): Promise<SessionState> {
  const link = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
  if (link !== undefined) {
    // Removed from the URL so that it is not copied or kept in the history.
    history.replaceState(null, '', location.pathname);
    try {
      return { state: 'in', session: await api<ConsoleSession>(sessionPath, { method: 'POST', json: { link } }) };
    } catch (error) {
      return { state: 'out', note: (error as Error).message };
    }
  }
  const reason = /^#sign-in=(expired|failed|forbidden)$/.exec(location.hash)?.[1];
  if (reason !== undefined) {
    history.replaceState(null, '', location.pathname);
    return { state: 'out', note: texts.signIn.reasons[reason as keyof typeof texts.signIn.reasons] };
  }
  try {
    return { state: 'in', session: await api<ConsoleSession>(sessionPath) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return { state: 'out' };
    throw error;
  }
}

function SignedInApp({ session, onSignedOut }: { readonly session: ConsoleSession; readonly onSignedOut: () => void }) {
  const ids = session.organizations.map(({ id }) => id);
  const [organization, setOrganization] = useState(() => {
    const before = sessionStorage.getItem(organizationKey);
    return before !== null && ids.includes(before) ? before : ids[0];
  });
  setRequestOrganization(organization);
  const feed = useConnectors(organization);
  const signOut = async () => {
    await api(sessionPath, { method: 'DELETE' }).catch(() => {});
    onSignedOut();
  };
  const choose = (id: string) => {
    sessionStorage.setItem(organizationKey, id);
    setOrganization(id);
  };
  return (
    <ConsoleContext.Provider value={{ session, organization, feed }}>
      <Frame choose={choose} signOut={signOut} />
    </ConsoleContext.Provider>
  );
}
