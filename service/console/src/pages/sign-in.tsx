import type { ConsoleSession } from 'agent-connectors/wire';
import { useEffect, useState } from 'preact/hooks';
import { TextField } from '../components/field.js';
import { InlineCode } from '../components/inline-code.js';
import { ErrorNotice } from '../components/notice.js';
import { api } from '../data/api.js';
import { useTitle } from '../router.js';
import { texts } from '../texts/index.js';

interface SignInProps {
  readonly note?: string | undefined;
  readonly onSignIn: (session: ConsoleSession) => void;
}

/** Asks for a client id and secret. */
export function SignIn({ note, onSignIn }: SignInProps) {
  useTitle(texts.signIn.title);
  const [id, setId] = useState('');
  const [secret, setSecret] = useState('');
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const [hasProvider, setHasProvider] = useState(false);
  useEffect(() => {
    // Without an answer, the form is still there.
    api<{ available: boolean }>('/console/oidc').then(
      ({ available }) => setHasProvider(available),
      () => {},
    );
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const json = { client_id: id.trim(), client_secret: secret.trim() };
      onSignIn(await api<ConsoleSession>('/console/session', { method: 'POST', json }));
    } catch (failure) {
      setError(failure as Error);
      setBusy(false);
    }
  };
  return (
    <main class="alone">
      <h1>{texts.signIn.title}</h1>
      {note === undefined ? null : (
        <p class="notice" role="status">
          {note}
        </p>
      )}
      {hasProvider ? (
        <p>
          <button type="button" class="primary" onClick={() => location.assign('/console/oidc/start')}>
            {texts.signIn.provider}
          </button>
        </p>
      ) : null}
      <form onSubmit={submit}>
        <TextField
          label={texts.signIn.id}
          name="username"
          autoComplete="username"
          spellcheck={false}
          required
          value={id}
          change={setId}
        />
        <TextField
          label={texts.signIn.secret}
          help={texts.signIn.secretHelp}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          value={secret}
          change={setSecret}
        />
        {error ? <ErrorNotice error={error} /> : null}
        <button type="submit" class="primary" disabled={busy}>
          {texts.signIn.title}
        </button>
      </form>
      <p class="quiet">
        <InlineCode text={texts.signIn.link} />
      </p>
    </main>
  );
}
