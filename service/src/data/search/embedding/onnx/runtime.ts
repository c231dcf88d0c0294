import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Startup options for the process. */
export interface WorkerSetup {
  /** The model's folder. */
  readonly folder: string;
  /** URL of the package that contains ONNX Runtime. */
  readonly runtime: string;
  readonly threads: number;
}

export interface WorkerJob {
  readonly id: number;
  readonly texts: readonly string[];
  readonly kind: 'query' | 'passage';
}

/** The texts' vectors, or an error. */
export type Embedded = { readonly id: number } & (
  | { readonly vectors: readonly Float32Array[]; readonly failure?: undefined }
  | { readonly failure: string }
);

interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(
    inputs: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, { readonly data: Float32Array; readonly dims: readonly number[] }>>>;
}

/** The subset of ONNX Runtime's API used here. */
interface Runtime {
  readonly InferenceSession: { create(path: string, options: object): Promise<Session> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => unknown;
}

const name = 'agent-connectors-embedder';

/** The package with ONNX Runtime and a model, installed next to the service or in the current folder. */
export function findPackage(): { readonly runtime: string; readonly model: string } {
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), 'index.js'))]) {
    try {
      const entry = createRequire(from).resolve(name);
      return { runtime: pathToFileURL(entry).href, model: join(dirname(entry), 'model') };
    } catch {
      // Not installed.
    }
  }
  throw new Error(`The package ${name} is not installed. Install it alongside the service: npm install ${name}`);
}

export const loadRuntime = async (address: string): Promise<Runtime> => (await import(address)) as Runtime;
