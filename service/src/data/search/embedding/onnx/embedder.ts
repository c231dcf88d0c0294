import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { basename, resolve } from 'node:path';
import { ConnectorError } from 'agent-connectors';
import { builtFile } from '../../../../common/built-file.js';
import type { Embedder } from '../types.js';
import { readModelFolder } from './model-folder.js';
import { type Embedded, findPackage, type WorkerJob, type WorkerSetup } from './runtime.js';

/** The worker script. */
const builtWorker = (): URL | null => builtFile(new URL('./embedder-worker.js', import.meta.url));

/**
 * An embedder that runs a sentence model in its own process, with ONNX Runtime from the `agent-connectors-embedder`
 * package: that package's model for `local`, or one from a folder in Sentence Transformers layout. Throws if the
 * package or the model is missing.
 */
export function localEmbedder(name: string): Embedder {
  const found = findPackage();
  const folder = name === 'local' ? found.model : resolve(name);
  const { prefixes, digest } = readModelFolder(folder);
  const worker = builtWorker();
  if (!worker) throw new Error('The local embedder works only after the service has been built. Run npm run build.');
  const threads = Math.max(1, availableParallelism() >> 1);
  const modelProcess = new ModelProcess(worker, { folder, runtime: found.runtime, threads });
  const label =
    name === 'local'
      ? 'minilm-l6-v2'
      : basename(folder)
          .toLowerCase()
          .replaceAll(/[^a-z\d.]+/g, '-');
  return {
    id: `${label.slice(0, 40)}-${digest.slice(0, 12)}`,
    embed: (texts, kind, signal) =>
      modelProcess.embed(
        texts.map((text) => prefixes[kind] + text),
        kind,
        signal,
      ),
  };
}

interface Pending {
  readonly resolve: (vectors: Float32Array[]) => void;
  readonly reject: (error: ConnectorError) => void;
}

/** A model's process, started on first use and restarted after it exits. */
class ModelProcess {
  readonly #code: URL;
  readonly #setup: WorkerSetup;
  readonly #pending = new Map<number, Pending>();
  #child: ChildProcess | undefined;
  #lastId = 0;

  constructor(code: URL, setup: WorkerSetup) {
    this.#code = code;
    this.#setup = setup;
  }

  async embed(texts: readonly string[], kind: WorkerJob['kind'], signal?: AbortSignal): Promise<Float32Array[]> {
    const aborted = () => new ConnectorError('aborted', 'Embedding was aborted.');
    if (signal?.aborted) throw aborted();
    if (texts.length === 0) return [];
    const id = ++this.#lastId;
    const end = () => this.#settle(id)?.reject(aborted());
    try {
      return await new Promise<Float32Array[]>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        signal?.addEventListener('abort', end, { once: true });
        this.#send({ id, texts, kind });
      });
    } finally {
      signal?.removeEventListener('abort', end);
    }
  }

  #send(job: WorkerJob): void {
    const child = this.#child ?? this.#start();
    child.ref();
    child.channel?.ref?.();
    // If the process has just exited, its exit event reports the failed send.
    child.send(job, () => undefined);
  }

  /** Removes a pending request; if none are left, the process no longer keeps the service alive. */
  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) {
      this.#child?.unref();
      this.#child?.channel?.unref?.();
    }
    return pending;
  }

  #start(): ChildProcess {
    const child = fork(this.#code, [JSON.stringify(this.#setup)], {
      serialization: 'advanced',
      execArgv: [],
      // The process does not inherit the service's environment.
      env: {},
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.on('message', (message: Embedded) => {
      const pending = this.#settle(message.id);
      if (message.failure === undefined) pending?.resolve([...message.vectors]);
      else pending?.reject(new ConnectorError('vendor_error', `The model failed: ${message.failure}`));
    });
    const onEnd = (reason: string) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      const error = () => new ConnectorError('network', `The model process exited: ${reason}.`);
      for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(error());
    };
    child.on('error', (error) => onEnd(error.message));
    child.on('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`));
    this.#child = child;
    return child;
  }
}
