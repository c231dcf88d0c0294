import type { ConsoleSessions } from '../../data/state/console-sessions.js';
import type { State } from '../../data/state/types.js';

/** A single-use URL that signs in the oldest client, valid for ten minutes; undefined if there is no client. */
export async function loginLink(
  state: Pick<State, 'clients'>,
  sessions: ConsoleSessions,
  url: string,
): Promise<string | undefined> {
  const [client] = await state.clients.list();
  // The secret is in the fragment, which browsers do not send, so it never appears in a log.
  return client && `${url.replace(/\/$/, '')}/console/#link=${await sessions.createLink(client.id)}`;
}
