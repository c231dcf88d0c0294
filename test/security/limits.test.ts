import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';

describe('an endless response', () => {
  it('is aborted before it exhausts memory', async () => {
    let sent = 0;
    const piece = new Uint8Array(4 * 2 ** 20).fill(32);
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += piece.byteLength;
          if (sent > 160 * 2 ** 20) controller.close();
          else controller.enqueue(piece);
        },
      });
    const linear = new LinearConnector({
      credentials: { api_key: 'lin_api_x' },
      fetch: async () => new Response(body(), { headers: { 'content-type': 'application/json' } }),
      retries: 0,
    });
    const error = await failure(linear.issues.get({ id: '1' }));
    expect(error.code).toBe('too_large');
    expect(sent).toBeLessThan(140 * 2 ** 20);
  });
});
