import { createServer, type Socket } from 'node:net';
import { createService } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { newKey } from '../keys.js';
import { newFolder } from './fixtures.js';

/** A message of the Postgres protocol. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const accepted = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const ended = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));

test('a server that ends a connection in the packet that accepts it does not end the process', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([accepted, ended])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const databaseUrl = `postgres://user@127.0.0.1:${port}/state?sslmode=disable`;
  // Without a listener, the error would be uncaught, which fails the run.
  await expect(createService({ dataFolder: newFolder(), key: newKey(), databaseUrl })).rejects.toThrow();
});
