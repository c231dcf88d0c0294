import { Worker } from 'node:worker_threads';
import { SearchTimeout } from '../../timeout.js';
import { type Call, type Reply, type Session, type SessionOptions, serveSession } from './session.js';

/** What is said of calls to a store that is closed. */
export const closedError = (): Error => new Error('The store has been closed.');

/** How calls reach a session. */
export interface SessionChannel {
  send(call: Call): void;
  /** Ends the session without more calls. */
  end(): Promise<void>;
}

interface PendingCall {
  readonly onRecords: (text: string) => void;
  readonly resolve: (result: any) => void;
  readonly reject: (error: Error) => void;
}

type Result<Name extends keyof Session> = ReturnType<Session[Name]>;

/** A session in a thread of its own, or in this one where there is no code for another. */
export class Thread {
  readonly #pending = new Map<number, PendingCall>();
  readonly #channel: SessionChannel;
  readonly ready: Promise<void>;
  #lastNumber = 0;
  #open = false;
  #closeError: Error | undefined;
  readonly #options: SessionOptions;

  constructor(options: SessionOptions, code: URL | null) {
    this.#options = options;
    this.ready = this.#expect(0, () => undefined).then(() => {
      this.#open = true;
    });
    // Not everybody waits for it; calls are told the same.
    this.ready.catch(() => undefined);
    const onReply = (reply: Reply) => this.#handleReply(reply);
    this.#channel = code ? inThread(options, code, onReply, (error) => this.#fail(error)) : inProcess(options, onReply);
  }

  /** Whether it answers calls. */
  get isOpen(): boolean {
    return this.#open && !this.#closeError;
  }

  call<Name extends keyof Session>(
    name: Name,
    values: Parameters<Session[Name]>,
    onRecords: (text: string) => void = () => undefined,
  ): Promise<Result<Name>> {
    if (this.#closeError) return Promise.reject(this.#closeError);
    const number = ++this.#lastNumber;
    const answer = this.#expect(number, onRecords);
    this.#channel.send({ number, name, values });
    return answer;
  }

  async close(): Promise<void> {
    if (this.#closeError) return;
    await this.call('close', []);
    this.#closeError = closedError();
    await this.#channel.end();
  }

  #expect(number: number, onRecords: (text: string) => void): Promise<any> {
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { onRecords, resolve, reject });
    });
  }

  #handleReply(reply: Reply): void {
    const pending = this.#pending.get(reply.number);
    if (!pending) return;
    if ('records' in reply) {
      pending.onRecords(reply.records);
      return;
    }
    this.#pending.delete(reply.number);
    if ('failure' in reply) {
      pending.reject(reply.timedOut ? this.#timeoutError() : new Error(`The store failed: ${reply.failure}`));
    } else pending.resolve(reply.result);
  }

  #timeoutError(): Error {
    const { stop, searchTimeoutMs } = this.#options;
    return Atomics.load(stop, 0) === 0 ? new SearchTimeout(searchTimeoutMs) : closedError();
  }

  #fail(error: Error): void {
    this.#closeError ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#closeError);
    this.#pending.clear();
  }
}

function inThread(
  options: SessionOptions,
  code: URL,
  onReply: (reply: Reply) => void,
  onFailure: (error: Error) => void,
): SessionChannel {
  const worker = new Worker(code, { workerData: options, name: `store ${options.role}` });
  worker.on('message', onReply);
  worker.on('error', onFailure);
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      onFailure(new Error('The thread of the store has ended.'));
      resolve();
    });
  });
  return {
    send: (call) => worker.postMessage(call),
    // Its session is closed by now; a port that closes itself would do on Node alone.
    end: () => worker.terminate().then(() => ended),
  };
}

function inProcess(options: SessionOptions, onReply: (reply: Reply) => void): SessionChannel {
  const answer = serveSession(options, onReply);
  return { send: answer, end: async () => undefined };
}
