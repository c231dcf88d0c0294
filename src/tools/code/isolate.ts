import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { ConnectorError } from '../../call/errors.js';
import workerSource from './isolate.worker.js';

/** What one program may use up. */
export interface IsolateLimits {
  /** Milliseconds in all, waits for calls included. */
  readonly timeoutMs: number;
  /** Milliseconds in which the program computes. */
  readonly cpuMs: number;
  /** The same counted: a step is some thousands of passes of a loop or calls of functions, on any machine. */
  readonly steps: number;
  /** Bytes of memory inside the isolate. */
  readonly memoryBytes: number;
  /** Calls of actions. */
  readonly calls: number;
  /** Characters that the parameters of one call take as JSON. */
  readonly callChars: number;
  /** Characters that the value takes as JSON. */
  readonly outputChars: number;
  /** Characters that are logged. */
  readonly logChars: number;
}

/** A program, and what it is given. */
export interface IsolateProgram {
  /** JavaScript, the body of an async function. */
  readonly code: string;
  /** Global names inside, each with what calls say it is. */
  readonly connectors: ReadonlyArray<readonly [name: string, key: string]>;
  /** What the clock says, in milliseconds since 1970. */
  readonly now: number;
  readonly limits: IsolateLimits;
  /** Answers a call, JSON to JSON; never throws. */
  readonly call: (text: string) => Promise<string>;
  readonly signal: AbortSignal | undefined;
}

/** How a program ended: with a value, by an error of its own, or by a limit. */
export interface IsolateResult {
  readonly ending: 'value' | 'error' | 'steps' | 'timeout' | 'cpu' | 'output' | 'stalled' | 'crash' | 'engine';
  /** The value or the error, as JSON. */
  readonly text: string;
  readonly log: readonly string[];
}

const require = createRequire(import.meta.url);

/** Where the packages are that contain the engine; an error says how they are installed. */
export function enginePaths(): { readonly core: string; readonly variant: string; readonly wasm: string } {
  try {
    return {
      core: require.resolve('quickjs-emscripten-core'),
      variant: require.resolve('@jitl/quickjs-wasmfile-release-sync'),
      wasm: require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'),
    };
  } catch {
    throw new ConnectorError('invalid_params', 'Code mode needs two packages that are not installed.', {
      hint: 'npm install quickjs-emscripten-core @jitl/quickjs-wasmfile-release-sync',
    });
  }
}

let compiled: Promise<WebAssembly.Module> | undefined;

/** How often it is looked how long the program has computed. */
const pollMs = 50;

/** Runs a program on a thread of its own, which ends with it, at the latest when a limit is reached. */
export async function runInIsolate(program: IsolateProgram): Promise<IsolateResult> {
  const { code, connectors, now, limits, call, signal } = program;
  const { core, variant, wasm } = enginePaths();
  compiled ??= readFile(wasm).then((bytes) => WebAssembly.compile(bytes));
  const workerData = { code, connectors, now, limits, core, variant, wasm: await compiled };
  signal?.throwIfAborted();
  const worker = new Worker(workerSource, {
    ...{ eval: true, workerData, name: 'run_code' },
    // Nothing of the process: no variables, no arguments, no output.
    ...{ env: {}, argv: [], execArgv: [], stdout: true, stderr: true },
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  });
  let calls = 0;
  const timers: ReturnType<typeof setTimeout>[] = [];
  const ended = new AbortController();
  try {
    return await new Promise<IsolateResult>((resolve, reject) => {
      const end = (ending: IsolateResult['ending']) => resolve({ ending, text: '', log: [] });
      timers.push(
        setTimeout(() => end('timeout'), limits.timeoutMs),
        setInterval(() => {
          if (worker.performance.eventLoopUtilization().active > limits.cpuMs) end('cpu');
        }, pollMs),
      );
      signal?.addEventListener('abort', () => reject(signal.reason), { signal: ended.signal });
      worker.on('error', () => end('crash'));
      worker.on('exit', () => end('crash'));
      worker.on('message', async (message: IsolateResult | { readonly call: number; readonly text: string }) => {
        if ('ending' in message) return resolve(message);
        // Counted by the thread too: here, so that nothing depends on what runs there.
        if (++calls > limits.calls) return end('crash');
        worker.postMessage({ call: message.call, text: await call(message.text) });
      });
    });
  } finally {
    ended.abort();
    for (const timer of timers) clearTimeout(timer);
    await worker.terminate();
  }
}
