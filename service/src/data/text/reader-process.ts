import { type ChildProcess, fork } from 'node:child_process';
import type { FileText } from 'agent-connectors/replication';
import { confinementOf, killWithParent, residentBytes } from './confinement.js';
import { type File, notRead } from './extract.js';

/** Limits for reading one file. */
export interface ReaderLimits {
  readonly timeLimitMs: number;
  /** Heap limit. */
  readonly heapMiB: number;
  /** Total memory limit, including buffers outside the heap. */
  readonly memoryMiB: number;
  /** How long an idle process is kept. */
  readonly idleMs: number;
}

interface PendingRead {
  readonly file: File;
  readonly resolve: (text: FileText) => void;
  readonly reject: (error: Error) => void;
}

const memoryExceeded = notRead('too_large', 'Reading it requires too much memory.');
const crashed = notRead('damaged', 'The process that reads the file crashed.');

export const closedError = (): Error => new Error('The file reader has been closed.');

/** Milliseconds between checks of the memory, while a file is read. */
const memoryIntervalMs = 50;

/**
 * Reads one file at a time in a child process, which is replaced if a file exceeds its limits.
 *
 * A thread is not enough: a thread that runs out of memory can crash the whole process.
 */
export class ReaderProcess {
  readonly #code: URL;
  readonly #limits: ReaderLimits;
  #child: ChildProcess | undefined;
  #current: PendingRead | undefined;
  #timer: NodeJS.Timeout | undefined;
  #memoryTimer: NodeJS.Timeout | undefined;
  #closed = false;
  #isConfined = false;

  constructor(code: URL, limits: ReaderLimits) {
    this.#code = code;
    this.#limits = limits;
  }

  /** Reads a file; the previous read must be finished. */
  read(file: File): Promise<FileText> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => this.#send({ file, resolve, reject }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    const child = this.#child;
    const ended = child && new Promise((resolve) => child.once('exit', resolve));
    this.#current?.reject(closedError());
    this.#end();
    await ended;
  }

  #send(read: PendingRead): void {
    clearTimeout(this.#timer);
    this.#current = read;
    const child = this.#child ?? this.#start();
    child.ref();
    // In Bun, the channel has no `ref` of its own, so the child's is used.
    child.channel?.ref?.();
    // A send to a process that just exited is reported by its exit event.
    child.send(read.file, () => undefined);
    this.#timer = setTimeout(() => {
      const seconds = Math.round(this.#limits.timeLimitMs / 100) / 10;
      this.#end(notRead('too_large', `Reading the file took longer than ${seconds} s.`));
    }, this.#limits.timeLimitMs);
    if (this.#isConfined) this.#watchMemory(child);
  }

  /** The process itself cannot watch its memory without a thread, which would not be confined. */
  #watchMemory(child: ChildProcess): void {
    this.#memoryTimer = setTimeout(async () => {
      const bytes = child.pid === undefined ? undefined : await residentBytes(child.pid);
      if (child !== this.#child || !this.#current) return;
      if (bytes !== undefined && bytes > this.#limits.memoryMiB * 1024 * 1024) this.#end(memoryExceeded);
      else this.#watchMemory(child);
    }, memoryIntervalMs);
  }

  /** Keeps the process for the next file, and ends it after the idle time. */
  #rest(): void {
    this.#child?.unref();
    this.#child?.channel?.unref?.();
    this.#timer = setTimeout(() => this.#end(), this.#limits.idleMs).unref();
  }

  #start(): ChildProcess {
    const { heapMiB, memoryMiB } = this.#limits;
    const confinement = confinementOf(this.#code);
    this.#isConfined = confinement !== undefined;
    const child = fork(this.#code, confinement ? [] : [String(memoryMiB)], {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${heapMiB}`, ...(confinement ?? [])],
      // A hostile file must not see the service's environment.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const stopWatching = confinement && child.pid !== undefined ? killWithParent(child) : () => undefined;
    child.once('exit', stopWatching);
    child.on('message', (text: FileText) => {
      if (child !== this.#child) return;
      const current = this.#takeCurrent();
      this.#rest();
      current?.resolve(text);
    });
    child.on('error', (error) => this.#handleExit(child, notRead('damaged', error.message)));
    child.on('exit', (code, signal) => {
      const isMemory = signal === 'SIGABRT' || signal === 'SIGKILL' || code === 134;
      this.#handleExit(child, isMemory ? memoryExceeded : crashed);
    });
    this.#child = child;
    return child;
  }

  #takeCurrent(): PendingRead | undefined {
    clearTimeout(this.#timer);
    clearTimeout(this.#memoryTimer);
    const current = this.#current;
    this.#current = undefined;
    return current;
  }

  /** Ends the process along with the current read, whose outcome this is. */
  #end(outcome: FileText = crashed): void {
    const child = this.#child;
    this.#child = undefined;
    const current = this.#takeCurrent();
    child?.kill('SIGKILL');
    current?.resolve(outcome);
  }

  #handleExit(child: ChildProcess, outcome: FileText): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    this.#takeCurrent()?.resolve(outcome);
  }
}
