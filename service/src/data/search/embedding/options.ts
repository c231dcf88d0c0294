import { openaiEmbedder } from './openai.js';
import type { OpenaiOptions } from './request.js';
import type { Embedder } from './types.js';

type Environment = Readonly<Record<string, string | undefined>>;

const current = 'AGENT_CONNECTORS_EMBEDDER';
const previous = 'AGENT_CONNECTORS_PREVIOUS_EMBEDDER';
const maxDimensions = 16_000;

/** The embedders that the environment names: the current one, and the one before it, which serves until the current one has all passages. */
export function embeddersFrom(environment: Environment, { fetch }: Pick<OpenaiOptions, 'fetch'> = {}): Embedder[] {
  const [now, before] = [optionsFrom(environment, current), optionsFrom(environment, previous)];
  if (before && !now) throw new Error(`${previous}_URL is set, so ${current}_URL must be set as well.`);
  const embedders = [now, before].flatMap((options) => (options ? openaiEmbedder({ ...options, fetch }) : []));
  return embedders.filter(({ id }, index) => embedders.findIndex((other) => other.id === id) === index);
}

/** Reads the variables of one embedder; an error names the variable and never its value. */
function optionsFrom(environment: Environment, prefix: string): OpenaiOptions | undefined {
  // Of a prefix the blanks count, as in `query: `.
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

function checkUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text;
  throw new Error(
    `${source} must be an address of http or https, such as http://127.0.0.1:11434/v1, without user and password.`,
  );
}

function checkKey(key: string | undefined, source: string): string | undefined {
  if (key === undefined || /^[\x21-\x7e]+$/.test(key)) return key;
  throw new Error(`${source} has a character that no header can hold.`);
}

function dimensionsOf(text: string | undefined, source: string): number | undefined {
  if (text === undefined) return undefined;
  const dimensions = Number(text);
  if (/^\d+$/.test(text) && dimensions >= 1 && dimensions <= maxDimensions) return dimensions;
  throw new RangeError(`${source} must be a whole number from 1 to ${maxDimensions}.`);
}
