/** The routes that connect and disconnect users' accounts. */
import { ConnectorError } from 'agent-connectors';
import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { accountScopes, type Connections, type Session } from './connections.js';

const notices = {
  connected: 'Connected.',
  cancelled: 'Nothing was connected.',
  expired: 'The page has expired. Connect again.',
  failed: 'The account could not be connected. Try again.',
};

/** Creates the routes. `requireSession` comes from your sign-in and throws if no user is signed in. */
export function accountRoutes(connections: Connections, requireSession: (c: Context) => Session): Hono {
  const app = new Hono();
  app.post('/connect', async (c) => {
    const session = requireSession(c);
    const { type, connectorId } = await c.req.json();
    if (connectorId !== undefined) return c.json(await connections.begin(session, { connectorId }));
    if (!Object.hasOwn(accountScopes, type)) throw new HTTPException(400, { message: 'Unknown account type.' });
    return c.json(await connections.begin(session, { type }));
  });
  app.post('/connected', async (c) => {
    const session = requireSession(c);
    const { address } = await c.req.json();
    const status = await connections.finish(session, address);
    if (!status)
      throw new HTTPException(403, {
        message: 'This result belongs to another user or has already been used. Connect again.',
      });
    session.notice = notices[status];
    return c.json({ status });
  });
  app.post('/disconnect', async (c) => {
    const session = requireSession(c);
    await connections.disconnect(session.user, String((await c.req.formData()).get('connector')));
    session.notice = 'Disconnected.';
    return c.redirect('/', 303);
  });
  app.onError((error) => {
    // The user's token does not give access to other users' connectors.
    const isMissing = error instanceof ConnectorError && error.code === 'not_found';
    throw isMissing ? new HTTPException(404, { message: 'Account not found.' }) : error;
  });
  return app;
}
