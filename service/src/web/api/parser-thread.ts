import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { builtFile } from '../../common/built-file.js';
import { FairQueue } from '../../common/fair-queue.js';
import { BodyError, countValues, parseBody } from './body.js';
import type { Parsed } from './parser-worker.js';

/** How long the thread is kept without work, in milliseconds. */
const idleMs = 60_000;

/** A thread that parses one body at a time; it starts with the first one. */
class ParserThread {
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;

  async parse(code: URL, bytes: Uint8Array<ArrayBuffer>): Promise<Parsed> {
    clearTimeout(this.#timer);
    const worker = this.#worker ?? new Worker(code);
    this.#worker = worker;
    worker.ref();
    try {
      worker.postMessage(bytes, [bytes.buffer]);
      const [parsed] = await once(worker, 'message');
      this.#timer = setTimeout(() => this.#end(), idleMs).unref();
      worker.unref();
      return parsed;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}

const thread = new ParserThread();
const queue = new FairQueue(() => [thread]);

/** Parses a long body on another thread; tenants take turns. Running from source, it is parsed on this one. */
export async function parseInWorker(bytes: Uint8Array<ArrayBuffer>, tenant: string): Promise<unknown> {
  const code = builtFile(new URL('./parser-worker.js', import.meta.url));
  if (!code) {
    countValues(bytes);
    return parseBody(bytes);
  }
  const parsed = await queue.run(tenant, (free) => free.parse(code, bytes));
  if ('value' in parsed) return parsed.value;
  throw new BodyError(parsed.status, parsed.message);
}
