import { Worker } from 'node:worker_threads';
import { openSession, type Session, type SessionOptions } from './session.js';

/** How calls reach a session. */
export interface Line {
  send(call: Call): void;
  /** Ends the session without more calls. */
  end(): Promise<void>;
}

interface Waiting {
  readonly records: (text: string) => void;
  readonly resolve: (result: any) => void;
  readonly reject: (error: Error) => void;
}

type Result<Name extends keyof Session> = ReturnType<Session[Name]>;

/** A session in a thread of its own, or in this one where there is no code for another. */
export class Thread {
  readonly #waiting = new Map<number, Waiting>();
  readonly #line: Line;
  readonly ready: Promise<void>;
  #last = 0;
  #open = false;
  #gone: Error | undefined;

  constructor(options: SessionOptions, code: URL | null) {
    this.ready = this.#expect(0, () => undefined).then(() => {
      this.#open = true;
    });
    // Not everybody waits for it; calls are told the same.
    this.ready.catch(() => undefined);
    const hear = (reply: Reply) => this.#hear(reply);
    this.#line = code ? inThread(options, code, hear, (error) => this.#fail(error)) : here(options, hear);
  }

  /** How many calls have no answer yet. */
  get busy(): number {
    return this.#waiting.size;
  }

  /** Whether it answers calls. */
  get isOpen(): boolean {
    return this.#open && !this.#gone;
  }

  call<Name extends keyof Session>(
    name: Name,
    values: Parameters<Session[Name]>,
    records: (text: string) => void = () => undefined,
  ): Promise<Result<Name>> {
    if (this.#gone) return Promise.reject(this.#gone);
    const number = ++this.#last;
    const answer = this.#expect(number, records);
    this.#line.send({ number, name, values });
    return answer;
  }

  async close(): Promise<void> {
    if (this.#gone) return;
    await this.call('close', []);
    this.#gone = new Error('The store has been closed.');
    await this.#line.end();
  }

  #expect(number: number, records: (text: string) => void): Promise<any> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { records, resolve, reject });
    });
  }

  #hear(reply: Reply): void {
    const waiting = this.#waiting.get(reply.number);
    if (!waiting) return;
    if ('records' in reply) {
      waiting.records(reply.records);
      return;
    }
    this.#waiting.delete(reply.number);
    if ('failure' in reply) waiting.reject(new Error(`The store failed: ${reply.failure}`));
    else waiting.resolve(reply.result);
  }

  #fail(error: Error): void {
    this.#gone ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
  }
}

function inThread(
  options: SessionOptions,
  code: URL,
  hear: (reply: Reply) => void,
  fail: (error: Error) => void,
): Line {
  const worker = new Worker(code, { workerData: options, name: `store ${options.role}` });
  worker.on('message', hear);
  worker.on('error', fail);
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      fail(new Error('The thread of the store has ended.'));
      resolve();
    });
  });
  return {
    send: (call) => worker.postMessage(call),
    // Its session is closed by now; a port that closes itself would do on Node alone.
    end: () => worker.terminate().then(() => ended),
  };
}

function here(options: SessionOptions, hear: (reply: Reply) => void): Line {
  const answer = answering(options, hear);
  return { send: answer, end: async () => undefined };
}

/** One thing that a session is asked for. */
export interface Call {
  readonly number: number;
  readonly name: keyof Session;
  readonly values: readonly unknown[];
}

/** What a session says: records as they come, then a result or why there is none. */
export type Reply =
  | { readonly number: number; readonly records: string }
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly failure: string };

/** Opens a session and answers calls with it; the call numbered 0 tells whether it opened. */
export function answering(options: SessionOptions, say: (reply: Reply) => void): (call: Call) => void {
  let asked = 0;
  const attempt = (number: number, work: () => unknown): void => {
    asked = number;
    try {
      say({ number, result: work() });
    } catch (error) {
      say({ number, failure: error instanceof Error ? error.message : String(error) });
    }
  };
  let session: Session | undefined;
  attempt(0, () => {
    session = openSession(options, (records) => say({ number: asked, records }));
  });
  return ({ number, name, values }) => {
    attempt(number, () => (session?.[name] as ((...values: readonly unknown[]) => unknown) | undefined)?.(...values));
  };
}
