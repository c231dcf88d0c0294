import { useState } from 'preact/hooks';
import type { SessionResponse } from '../../../src/web/console/types.js';
import { Field } from '../components/field.js';
import { ErrorNotice } from '../components/notice.js';
import { api } from '../data/api.js';

interface SignInProps {
  readonly note?: string | undefined;
  readonly onSignIn: (session: SessionResponse) => void;
}

/** Asks for a client and its secret. */
export function SignIn({ note, onSignIn }: SignInProps) {
  const [id, setId] = useState('');
  const [secret, setSecret] = useState('');
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const json = { client_id: id.trim(), client_secret: secret.trim() };
      onSignIn(await api<SessionResponse>('/console/session', { method: 'POST', json }));
    } catch (failure) {
      setError(failure as Error);
      setBusy(false);
    }
  };
  return (
    <main class="alone">
      <h1>Sign in</h1>
      {note === undefined ? null : (
        <p class="notice" role="status">
          {note}
        </p>
      )}
      <form onSubmit={submit}>
        <Field label="Client id">
          {(control) => (
            <input
              {...control}
              name="username"
              autoComplete="username"
              spellcheck={false}
              required
              value={id}
              onInput={({ currentTarget }) => setId(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Client secret" help="Printed at the first start or by create-client.">
          {(control) => (
            <input
              {...control}
              name="password"
              type="password"
              autoComplete="current-password"
              required
              value={secret}
              onInput={({ currentTarget }) => setSecret(currentTarget.value)}
            />
          )}
        </Field>
        {error ? <ErrorNotice error={error} /> : null}
        <button type="submit" class="primary" disabled={busy}>
          Sign in
        </button>
      </form>
      <p class="quiet">
        No client secret? Start the service with <code>--print-login-link</code> and open the link that it prints. It
        works once.
      </p>
    </main>
  );
}
