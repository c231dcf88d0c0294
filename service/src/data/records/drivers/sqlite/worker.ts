import { parentPort, workerData } from 'node:worker_threads';
import { type Call, type SessionOptions, serveSession } from './session.js';

// The worker thread: one session that handles calls in sequence.
const port = parentPort!;
const answer = serveSession(workerData as SessionOptions, (reply) => {
  const bytes = 'records' in reply && typeof reply.records !== 'string' ? [reply.records.buffer as ArrayBuffer] : [];
  port.postMessage(reply, bytes);
});
port.on('message', (call: Call) => answer(call));
