import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { ConnectorError } from '../../errors/connector-error.js';
import workerSource from './isolate.worker.js';

/** Limits of a program. */
export interface IsolateLimits {
  /** Total time in milliseconds, including calls. */
  readonly timeoutMs: number;
  /** Compute time in milliseconds. */
  readonly cpuMs: number;
  /** Machine-independent compute limit in steps, each several thousand loop iterations or function calls. */
  readonly steps: number;
  /** Memory inside the isolate in bytes. */
  readonly memoryBytes: number;
  /** Action calls. */
  readonly calls: number;
  /** Maximum characters in a call's parameters as JSON. */
  readonly callChars: number;
  /** Maximum characters in the value as JSON. */
  readonly outputChars: number;
  /** Characters of log output. */
  readonly logChars: number;
}

/** A program and its input. */
export interface IsolateProgram {
  /** JavaScript, the body of an async function. */
  readonly code: string;
  /** Global names in the program, with the connector key that calls use. */
  readonly connectors: ReadonlyArray<readonly [name: string, key: string]>;
  /** The program's time, in milliseconds since 1970. */
  readonly now: number;
  readonly limits: IsolateLimits;
  /** Handles a call; takes and returns JSON, never throws. */
  readonly call: (text: string) => Promise<string>;
  readonly signal: AbortSignal | undefined;
}

/** How a program ended: with a value, its own error, or a limit. */
export interface IsolateResult {
  readonly ending: 'value' | 'error' | 'steps' | 'timeout' | 'cpu' | 'output' | 'stalled' | 'crash' | 'engine';
  /** The value or the error, as JSON. */
  readonly text: string;
  readonly log: readonly string[];
}

const require = createRequire(import.meta.url);

/** Paths of the engine's packages; throws with installation instructions. */
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

/** Interval for checking compute time. */
const pollMs = 50;

/** Runs a program on its own thread, which ends when the program finishes or reaches a limit. */
export async function runInIsolate(program: IsolateProgram): Promise<IsolateResult> {
  const { code, connectors, now, limits, call, signal } = program;
  const { core, variant, wasm } = enginePaths();
  compiled ??= readFile(wasm).then((bytes) => WebAssembly.compile(bytes));
  const workerData = { code, connectors, now, limits, core, variant, wasm: await compiled };
  signal?.throwIfAborted();
  const worker = new Worker(workerSource, {
    eval: true,
    workerData,
    name: 'run_code',
    // No access to the process's environment variables, arguments or output.
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
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
        // The thread also counts calls, but this count does not depend on what runs there.
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
