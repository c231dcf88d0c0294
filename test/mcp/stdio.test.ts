import { PassThrough, Writable } from 'node:stream';
import { GranolaConnector } from 'agent-connectors/granola';
import { serveStdio } from 'agent-connectors/mcp';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, onTestFinished, test } from 'vitest';

test('a slow client gets every response, without a warning about listeners', async () => {
  const warnings: string[] = [];
  const warn = ({ name }: Error) => warnings.push(name);
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  const { fetch, vendors } = createSandbox({ seed: 7 });
  const granola = new GranolaConnector({ fetch, credentials: vendors.granola.credentials.api_key });

  const replies: string[] = [];
  const held: (() => void)[] = [];
  let isReading = false;
  const stdout = new Writable({
    highWaterMark: 1,
    write(chunk, _, done) {
      replies.push(...String(chunk).trim().split('\n'));
      if (isReading) done();
      else held.push(done);
    },
  });
  const stdin = new PassThrough();
  const server = await serveStdio([granola], { stdin, stdout });
  onTestFinished(() => server.close());
  const send = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'slow', version: '1' };
  send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  send({ method: 'notifications/initialized' });
  for (let id = 1; id <= 40; id++) send({ id, method: 'ping' });
  // The first response is being written; the others wait for it.
  await expect.poll(() => stdout.writableLength).toBeGreaterThan(40 * 20);
  isReading = true;
  for (const done of held) done();
  await expect.poll(() => replies.length).toBe(41);
  expect(warnings).toEqual([]);
});
