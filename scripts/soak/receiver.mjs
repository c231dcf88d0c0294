import { once } from 'node:events';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/**
 * A webhook endpoint that rejects or drops some messages.
 *
 * @param {() => number} random @param {string[]} violations
 */
export async function startReceiver(random, violations) {
  const counts = { delivered: 0, repeated: 0, refused: 0, dropped: 0 };
  /** Connector ids by event. @type {Map<string, Set<string>>} */
  const received = new Map();
  const ids = new Set();
  const receiver = { url: '', secret: '', calm: false, counts, received, close: () => server.close() };
  const server = createServer(async (request, response) => {
    try {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (!receiver.calm && random() < 0.3) {
        const refuse = random() < 0.5;
        counts[refuse ? 'refused' : 'dropped']++;
        return void (refuse ? response.writeHead(503).end() : request.socket.destroy());
      }
      const { type, data } = new Webhook(receiver.secret).verify(body, request.headers);
      const id = request.headers['webhook-id'];
      counts[ids.has(id) ? 'repeated' : 'delivered']++;
      ids.add(id);
      received.set(type, (received.get(type) ?? new Set()).add(data.connector_id));
      response.writeHead(204).end();
    } catch (error) {
      if (error?.code !== 'ECONNRESET') violations.push(`webhook: ${error}`);
      response.writeHead(400).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  receiver.url = `http://127.0.0.1:${server.address().port}/webhooks`;
  return receiver;
}
