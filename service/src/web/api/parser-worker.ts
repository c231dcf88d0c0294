import { parentPort } from 'node:worker_threads';
import { BodyError, countValues, parseBody } from './body.js';

/** The value of a body, or why it is rejected. */
export type Parsed = { readonly value: unknown } | { readonly status: 400 | 413; readonly message: string };

parentPort?.on('message', (bytes: Uint8Array) => parentPort?.postMessage(parse(bytes)));

function parse(bytes: Uint8Array): Parsed {
  try {
    countValues(bytes);
    return { value: parseBody(bytes) };
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    return { status: error.status, message: error.message };
  }
}
