import { type ChildProcess, fork } from 'node:child_process';
import type { Format } from './formats.js';
import type { Job, Outcome } from './worker.js';

/** What one file may take. */
export interface ReaderLimits {
  readonly timeLimitMs: number;
  /** Of the heap. */
  readonly heapMiB: number;
  /** Of all memory, to which bytes count that are not on the heap. */
  readonly memoryMiB: number;
  /** How long the process is kept without a file to read. */
  readonly idleMs: number;
}

interface PendingRead {
  readonly job: Job;
  readonly resolve: (text: string) => void;
  readonly reject: (error: Error) => void;
}

const memoryMessage = 'Reading it needs too much memory.';

/** The reader has been closed, and reads nothing any more. */
export const closedError = (): Error => new Error('The reader of files has been closed.');

/**
 * Has one file at a time read in a process of its own, and replaces it where a file was too much for it.
 *
 * A thread would not do: one that has no memory left may take the whole process with it.
 */
export class ReaderProcess {
  readonly #code: URL;
  readonly #limits: ReaderLimits;
  #child: ChildProcess | undefined;
  #current: PendingRead | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(code: URL, limits: ReaderLimits) {
    this.#code = code;
    this.#limits = limits;
  }

  /** Reads a file; the one before must have been read. */
  read(bytes: Uint8Array, format: Format): Promise<string> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => this.#send({ job: { bytes, format }, resolve, reject }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    const child = this.#child;
    const ended = child && new Promise((resolve) => child.once('exit', resolve));
    this.#end(closedError());
    await ended;
  }

  #send(read: PendingRead): void {
    clearTimeout(this.#timer);
    this.#current = read;
    const child = this.#child ?? this.#start();
    child.ref();
    // Bun has no hold of the channel apart from the child's.
    child.channel?.ref?.();
    // One that has just ended says so by its exit.
    child.send(read.job, () => undefined);
    this.#timer = setTimeout(() => {
      this.#end(new Error(`It took longer than ${Math.round(this.#limits.timeLimitMs / 100) / 10} s.`));
    }, this.#limits.timeLimitMs);
  }

  /** Keeps the process for the next file, and ends it where none comes. */
  #rest(): void {
    this.#child?.unref();
    this.#child?.channel?.unref?.();
    this.#timer = setTimeout(() => this.#end(), this.#limits.idleMs).unref();
  }

  #start(): ChildProcess {
    const { heapMiB, memoryMiB } = this.#limits;
    const child = fork(this.#code, [String(memoryMiB)], {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${heapMiB}`],
      // Whatever a file brings about there, it learns nothing of the service.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', (outcome: Outcome) => {
      if (child !== this.#child) return;
      const current = this.#takeCurrent();
      this.#rest();
      if ('text' in outcome) current?.resolve(outcome.text);
      else current?.reject(new Error(outcome.failure));
    });
    child.on('error', (error) => this.#handleExit(child, error.message));
    child.on('exit', (code, signal) => {
      const isMemory = signal === 'SIGABRT' || signal === 'SIGKILL' || code === 134;
      this.#handleExit(child, isMemory ? memoryMessage : 'Its reader process crashed.');
    });
    this.#child = child;
    return child;
  }

  #takeCurrent(): PendingRead | undefined {
    clearTimeout(this.#timer);
    const current = this.#current;
    this.#current = undefined;
    return current;
  }

  /** Ends the process, and with it the file that it reads. */
  #end(error?: Error): void {
    const child = this.#child;
    this.#child = undefined;
    const current = this.#takeCurrent();
    child?.kill('SIGKILL');
    if (error) current?.reject(error);
  }

  #handleExit(child: ChildProcess, message: string): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    this.#takeCurrent()?.reject(new Error(message));
  }
}
