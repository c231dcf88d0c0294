import { parentPort, workerData } from 'node:worker_threads';
import type { SessionOptions } from './session.js';
import { answering, type Call } from './thread.js';

// What runs in a thread of its own: one session, asked one thing after the other.
const port = parentPort!;
const answer = answering(workerData as SessionOptions, (reply) => port.postMessage(reply));
port.on('message', (call: Call) => answer(call));
