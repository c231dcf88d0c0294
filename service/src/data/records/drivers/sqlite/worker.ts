import { parentPort, workerData } from 'node:worker_threads';
import { type Call, type SessionOptions, serveSession } from './session.js';

// What runs in a thread of its own: one session, asked one thing after the other.
const port = parentPort!;
const answer = serveSession(workerData as SessionOptions, (reply) => port.postMessage(reply));
port.on('message', (call: Call) => answer(call));
