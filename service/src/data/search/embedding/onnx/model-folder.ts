import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** An ONNX sentence model that embeds texts. */
export interface SentenceModel {
  /** Path of the graph. */
  readonly graph: string;
  /** WordPiece tokens by id. */
  readonly pieces: readonly string[];
  /** Maximum number of tokens per text, including special tokens; the rest is truncated. */
  readonly maxTokens: number;
  readonly pooling: 'mean' | 'cls';
  /** Prefixes that the model expects before a text. */
  readonly prefixes: { readonly query: string; readonly passage: string };
  /** Digest of all of the above. */
  readonly digest: string;
}

const graphs = ['model.onnx', 'onnx/model_quantized.onnx', 'onnx/model.onnx'];
const tokenizer = z.looseObject({
  normalizer: z.nullish(z.looseObject({ type: z.string(), lowercase: z.optional(z.boolean()) })),
  model: z.looseObject({ type: z.optional(z.string()), vocab: z.record(z.string(), z.number()) }),
});
const tokenizerConfig = z.looseObject({ do_lower_case: z.optional(z.boolean()) });
const poolingConfig = z.looseObject({
  pooling_mode_cls_token: z.optional(z.boolean()),
  pooling_mode_mean_tokens: z.optional(z.boolean()),
});
const lengthConfig = z.looseObject({ max_seq_length: z.nullish(z.number()) });
const promptConfig = z.looseObject({ prompts: z.optional(z.record(z.string(), z.string())) });
const bertConfig = z.looseObject({ max_position_embeddings: z.optional(z.number()) });

/** Reads a folder in Sentence Transformers layout, with the graph at the top level or in `onnx/`. */
export function readModelFolder(folder: string): SentenceModel {
  const graph = graphs.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (!graph) throw new Error(`${folder} has no ${graphs.join(', ')}.`);
  const read = <Shape extends z.ZodType>(name: string, shape: Shape): z.output<Shape> | undefined => {
    const path = join(folder, name);
    if (!existsSync(path)) return undefined;
    const parsed = shape.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    if (!parsed.success) throw new Error(`${path}: ${z.prettifyError(parsed.error)}`);
    return parsed.data;
  };
  const pooling = read('1_Pooling/config.json', poolingConfig);
  if (pooling && !pooling.pooling_mode_mean_tokens && !pooling.pooling_mode_cls_token)
    throw new Error(`${folder}: 1_Pooling/config.json specifies a pooling mode other than mean or [CLS].`);
  const prompts = read('config_sentence_transformers.json', promptConfig)?.prompts ?? {};
  const positions = read('config.json', bertConfig)?.max_position_embeddings ?? 512;
  const model = {
    pieces: piecesOf(folder, read('tokenizer.json', tokenizer), read('tokenizer_config.json', tokenizerConfig)),
    maxTokens: Math.min(positions, read('sentence_bert_config.json', lengthConfig)?.max_seq_length ?? positions),
    pooling: pooling?.pooling_mode_cls_token ? ('cls' as const) : ('mean' as const),
    prefixes: { query: prompts.query ?? '', passage: prompts.passage ?? prompts.document ?? '' },
  };
  const hash = createHash('sha256').update(readFileSync(graph)).update(JSON.stringify(model));
  return { graph, ...model, digest: hash.digest('hex') };
}

function piecesOf(
  folder: string,
  found: z.output<typeof tokenizer> | undefined,
  config: z.output<typeof tokenizerConfig> | undefined,
): string[] {
  const path = join(folder, 'vocab.txt');
  const isWordPiece = found ? (found.model.type ?? 'WordPiece') === 'WordPiece' : existsSync(path);
  if (!isWordPiece || (config?.do_lower_case ?? found?.normalizer?.lowercase) === false)
    throw new Error(`${folder} must contain a lowercase WordPiece tokenizer in tokenizer.json or vocab.txt.`);
  if (!found) return readFileSync(path, 'utf8').trimEnd().split(/\r?\n/);
  const pieces: string[] = [];
  for (const [piece, id] of Object.entries(found.model.vocab)) pieces[id] = piece;
  return Array.from(pieces, (piece) => piece ?? '');
}
