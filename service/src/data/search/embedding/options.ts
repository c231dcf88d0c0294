import { openaiEmbedder } from './openai.js';
import type { OpenaiOptions } from './request.js';
import { staticEmbedder } from './static/embedder.js';
import type { Embedder } from './types.js';

type Environment = Readonly<Record<string, string | undefined>>;

const current = 'AGENT_CONNECTORS_EMBEDDER';
const previous = 'AGENT_CONNECTORS_PREVIOUS_EMBEDDER';
const maxDimensions = 16_000;

/** What embeds where nothing else is chosen: the table that comes with the service. */
export const defaultEmbedders: readonly Embedder[] = [staticEmbedder];

/**
 * The embedders that the environment names, or undefined where it names none: the current one, then those before it, whose
 * vectors are used until the current one has embedded all passages. The last one is always the default, so that
 * a search does not lose its vectors while a new model starts.
 */
export function embeddersFrom(
  environment: Environment,
  { fetch }: Pick<OpenaiOptions, 'fetch'> = {},
): Embedder[] | undefined {
  const [now, before] = [optionsFrom(environment, current), optionsFrom(environment, previous)];
  const name = environment[current]?.trim();
  if (name) {
    if (name !== 'none') throw new Error(`${current} must be none, or be left out.`);
    const url = now ? current : before && previous;
    if (url) throw new Error(`${current} is none, so ${url}_URL must be left out.`);
    return [];
  }
  if (!now && !before) return undefined;
  const [openai, openaiBefore] = [now, before].map((options) => options && openaiEmbedder({ ...options, fetch }));
  const embedders = [
    ...(openai ? [openai] : defaultEmbedders),
    ...(openaiBefore ? [openaiBefore] : []),
    ...defaultEmbedders,
  ];
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
