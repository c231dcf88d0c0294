import { existsSync } from 'node:fs';
import { localEmbedder } from './onnx/embedder.js';
import { openaiEmbedder } from './openai.js';
import type { OpenaiOptions } from './request.js';
import { staticEmbedder } from './static/embedder.js';
import type { Embedder } from './types.js';

type Environment = Readonly<Record<string, string | undefined>>;

const current = 'AGENT_CONNECTORS_EMBEDDER';
const previous = 'AGENT_CONNECTORS_PREVIOUS_EMBEDDER';
const maxDimensions = 16_000;

/** The default embedders: the static table included with the service. */
export const defaultEmbedders: readonly Embedder[] = [staticEmbedder];

/**
 * The embedders configured in the environment, or undefined if none: the active one first, then previous ones, whose
 * vectors are used until the active one has embedded all passages. The default always comes last, so vector search
 * keeps working while a new model starts.
 */
export function embeddersFrom(
  environment: Environment,
  { fetch }: Pick<OpenaiOptions, 'fetch'> = {},
): Embedder[] | undefined {
  const [now, before] = [optionsFrom(environment, current), optionsFrom(environment, previous)];
  const local = localFrom(environment[current]?.trim());
  if (local && now) throw new Error(`${current} and ${current}_URL are both set; remove one.`);
  if (local === 'none') {
    if (before) throw new Error(`${current} is none, so ${previous}_URL must not be set.`);
    return [];
  }
  if (!now && !before && !local) return undefined;
  const [openai, openaiBefore] = [now, before].map((options) => options && openaiEmbedder({ ...options, fetch }));
  const chosen = openai ?? local;
  const embedders = [
    ...(chosen ? [chosen] : defaultEmbedders),
    ...(openaiBefore ? [openaiBefore] : []),
    ...defaultEmbedders,
  ];
  return embedders.filter(({ id }, index) => embedders.findIndex((other) => other.id === id) === index);
}

/** The local embedder with this name. */
function localFrom(name: string | undefined): Embedder | 'none' | undefined {
  if (!name) return undefined;
  if (name === 'none') return name;
  if (name !== 'local' && !existsSync(name)) throw new Error(`${current} must be none, local or a model folder.`);
  return localEmbedder(name);
}

/** Reads the variables of one embedder; errors name the variable, never its value. */
function optionsFrom(environment: Environment, prefix: string): OpenaiOptions | undefined {
  // Whitespace in a prefix matters, as in `query: `.
  const exact = (name: string) =>
    environment[`${prefix}_${name}`]?.trim() ? environment[`${prefix}_${name}`] : undefined;
  const read = (name: string) => exact(name)?.trim();
  const url = read('URL');
  if (url === undefined) {
    const other = ['MODEL', 'KEY', 'DIMENSIONS', 'QUERY_PREFIX', 'PASSAGE_PREFIX'].find(
      (name) => read(name) !== undefined,
    );
    if (other !== undefined) throw new Error(`${prefix}_${other} is set, so ${prefix}_URL must be set as well.`);
    return undefined;
  }
  const model = read('MODEL');
  if (model === undefined) throw new Error(`${prefix}_URL is set, so ${prefix}_MODEL must name the model.`);
  return {
    url: checkUrl(url, `${prefix}_URL`),
    model,
    apiKey: checkKey(read('KEY'), `${prefix}_KEY`),
    dimensions: dimensionsOf(read('DIMENSIONS'), `${prefix}_DIMENSIONS`),
    queryPrefix: exact('QUERY_PREFIX'),
    passagePrefix: exact('PASSAGE_PREFIX'),
  };
}

/** Validates an http or https URL; errors name its variable. */
export function checkUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text;
  throw new Error(
    `${source} must be an http or https URL such as http://127.0.0.1:11434/v1, without a username or password.`,
  );
}

/** Validates a key for use in a header; errors name its variable. */
export function checkKey(key: string | undefined, source: string): string | undefined {
  if (key === undefined || /^[\x21-\x7e]+$/.test(key)) return key;
  throw new Error(`${source} is not a valid header value.`);
}

function dimensionsOf(text: string | undefined, source: string): number | undefined {
  if (text === undefined) return undefined;
  const dimensions = Number(text);
  if (/^\d+$/.test(text) && dimensions >= 1 && dimensions <= maxDimensions) return dimensions;
  throw new RangeError(`${source} must be a whole number from 1 to ${maxDimensions}.`);
}
