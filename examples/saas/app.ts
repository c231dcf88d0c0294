/** The product: its routes. */
import type { WebhookEvent } from 'agent-connectors/hosted';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import { NONCE, secureHeaders } from 'hono/secure-headers';
import { accountRoutes } from './account-routes.js';
import { ask, scriptedModel } from './agent.js';
import { type ConnectionSettings, createConnections, type Session, type User } from './connections.js';
import { createSignIn } from './sign-in.js';
import { type Html, homePage, page, returnPage, signInPage } from './views.js';
import { receiveWebhooks } from './webhooks.js';

/** The product's settings. */
export interface Settings extends ConnectionSettings {
  readonly users: ReadonlyArray<User & { readonly password: string }>;
  /** The secret that signs the service's webhooks. */
  readonly webhookSecret: string;
  /** Receives verified webhooks. */
  readonly notify: (event: WebhookEvent) => void;
}

/** Creates the product. */
export function createApp({ users, webhookSecret, notify, ...settings }: Settings) {
  const app = new Hono();
  const { session, signIn, signOut } = createSignIn(users, settings.origin);
  const connections = createConnections(settings);

  const requireSession = (c: Context): Session => {
    const found = session(c);
    if (!found) throw new HTTPException(401, { message: 'You are signed out. Sign in and try again.' });
    return found;
  };
  const render = (c: Context, body: Html, status: 200 | 401 = 200) =>
    c.html(page(c.get('secureHeadersNonce'), body), status);
  const showHome = async (c: Context, current: Session, answer?: string) => {
    const { user, notice } = current;
    current.notice = undefined;
    return render(c, homePage({ user, connectors: await connections.list(user), notice, answer }));
  };

  app.use(
    secureHeaders({
      xFrameOptions: 'DENY',
      contentSecurityPolicy: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", NONCE],
        styleSrc: [NONCE],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    }),
  );
  // Rejects forms from other sites; browsers block their JSON requests, since CORS is not enabled.
  app.use(csrf({ origin: settings.origin }));
  app.use(bodyLimit({ maxSize: 64 * 1024 }));
  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    console.error(error);
    return c.text('Something went wrong. Try again.', 500);
  });

  app.get('/', (c) => {
    const current = session(c);
    return current ? showHome(c, current) : render(c, signInPage(false));
  });
  app.post('/sign-in', async (c) => {
    const form = await c.req.formData();
    if (signIn(c, String(form.get('email')), String(form.get('password')))) return c.redirect('/', 303);
    return render(c, signInPage(true), 401);
  });
  app.post('/sign-out', (c) => {
    signOut(c);
    return c.redirect('/', 303);
  });

  app.get('/connected', (c) => render(c, returnPage));
  app.route('/', accountRoutes(connections, requireSession));
  app.post('/ask', async (c) => {
    const current = requireSession(c);
    const question = String((await c.req.formData()).get('question'));
    const client = await connections.clientOf(current.user, ['read']);
    const accounts = await connections.list(current.user);
    const answer = await ask(client, accounts, question, scriptedModel(accounts));
    return showHome(c, current, answer);
  });

  app.route('/', receiveWebhooks(webhookSecret, notify));

  return app;
}
