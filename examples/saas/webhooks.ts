/** Receives webhooks from the service. */
import { verifyWebhook, type WebhookEvent } from 'agent-connectors/hosted';
import { Hono } from 'hono';

/** Verifies webhooks and passes them on, for example to email a user; the same event can arrive twice. */
export function receiveWebhooks(secret: string, notify: (event: WebhookEvent) => void): Hono {
  const app = new Hono();
  app.post('/webhooks', async (c) => {
    const body = await c.req.text();
    const event = await verifyWebhook(c.req.raw.headers, body, { secret }).catch(() => undefined);
    if (!event) return c.body(null, 401);
    notify(event);
    return c.body(null, 204);
  });
  return app;
}
