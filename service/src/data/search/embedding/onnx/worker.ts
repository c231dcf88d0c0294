import { WordPieces } from '../static/word-pieces.js';
import { readModelFolder } from './model-folder.js';
import { type Embedded, loadRuntime, type WorkerJob, type WorkerSetup } from './runtime.js';

// Runs in its own process, because the model occupies a core while passages are pending.
const opening = openModel(JSON.parse(process.argv[2]!) as WorkerSetup);

async function openModel({ folder, runtime, threads }: WorkerSetup): Promise<(text: string) => Promise<Float32Array>> {
  const model = readModelFolder(folder);
  const pieces = new WordPieces(model.pieces);
  const [cls, sep, unknown] = ['[CLS]', '[SEP]', '[UNK]'].map((special) => model.pieces.indexOf(special));
  const { InferenceSession, Tensor } = await loadRuntime(runtime);
  const session = await InferenceSession.create(model.graph, { intraOpNumThreads: threads, logSeverityLevel: 3 });
  const output = session.outputNames.includes('last_hidden_state') ? 'last_hidden_state' : session.outputNames[0]!;
  return async (text) => {
    const ids = [cls!, ...pieces.idsOf(text, unknown).slice(0, model.maxTokens - 2), sep!];
    const valuesOf: Readonly<Record<string, (id: number) => bigint>> = { input_ids: BigInt, attention_mask: () => 1n };
    const inputs = session.inputNames.map((name) => {
      const values = BigInt64Array.from(ids.map(valuesOf[name] ?? (() => 0n)));
      return [name, new Tensor('int64', values, [1, ids.length])];
    });
    const { data, dims } = (await session.run(Object.fromEntries(inputs)))[output]!;
    const size = dims.at(-1)!;
    const vector = new Float32Array(size);
    const pooled = model.pooling === 'cls' ? size : data.length;
    for (let index = 0; index < pooled; index++) vector[index % size]! += data[index]!;
    const length = Math.hypot(...vector) || 1;
    return vector.map((value) => value / length);
  };
}

const waiting: (WorkerJob & { readonly vectors: Float32Array[] })[] = [];
let working = false;

async function work(): Promise<void> {
  if (working) return;
  working = true;
  // One text at a time: padding a batch to its longest text costs more than batching saves, and this way a query can
  // overtake pending passages.
  for (let job = waiting[0]; job; job = waiting.find(({ kind }) => kind === 'query') ?? waiting[0]) {
    const outcome = await opening
      .then((vectorOf) => vectorOf(job.texts[job.vectors.length]!))
      .catch((error: Error) => error);
    if (!(outcome instanceof Error)) job.vectors.push(outcome);
    else waiting.splice(waiting.indexOf(job), 1);
    const { id, vectors } = job;
    if (outcome instanceof Error) process.send?.({ id, failure: outcome.message } satisfies Embedded);
    else if (vectors.length === job.texts.length) {
      waiting.splice(waiting.indexOf(job), 1);
      process.send?.({ id, vectors } satisfies Embedded);
    }
  }
  working = false;
}

// Ctrl+C goes to the whole process group; the service then stops this process.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (job: WorkerJob) => {
  waiting.push({ ...job, vectors: [] });
  void work();
});
