/** Webhooks from the service about connectors. */
import { verifyWebhook } from 'agent-connectors/hosted';
import { Hono } from 'hono';

/** Receives webhooks, and stores the ids of connectors whose credentials the vendor has rejected. */
export function receiveWebhooks(secret: string, refused: Set<string>): Hono {
  const app = new Hono();
  app.post('/webhooks', async (c) => {
    const body = await c.req.text();
    const event = await verifyWebhook(c.req.raw.headers, body, { secret }).catch(() => undefined);
    if (!event) return c.body(null, 401);
    const id = String(event.data.connector_id);
    // A message may be delivered twice, which has no effect here.
    switch (event.type) {
      case 'connector.needs_reauthorization':
        refused.add(id);
        break;
      case 'connector.connected':
      case 'connector.recovered':
      case 'connector.removed':
        refused.delete(id);
    }
    return c.body(null, 204);
  });
  return app;
}
