import { ConnectorError, codeOfStatus } from 'agent-connectors';

import { vectorsIn } from './reply.js';

const hints: Readonly<Record<number, string>> = {
  401: 'Check the key of the embedder.',
  403: 'Check the key of the embedder, and what it is allowed.',
  404: 'Check that the address ends in /v1 or /v1/embeddings, and that the server has the model.',
};

/** Makes the function that asks once for the vectors of some texts; its errors never hold the key. */
export function requester(options: OpenaiOptions) {
  const { model, apiKey, dimensions, timeoutMs = 60_000, fetch = globalThis.fetch } = options;
  const url = addressOf(options.url);
  const endpoint = `${url.origin}${url.pathname}`;
  const authorization = apiKey === undefined ? undefined : bearer(apiKey);
  const clean = redactor([apiKey, ...url.searchParams.values()]);
  let encoding: 'base64' | 'float' = 'base64';
  let length = dimensions;

  const sendOnce = async (texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> => {
    if (signal?.aborted) throw new ConnectorError('aborted', 'Embedding was aborted.');
    const controller = new AbortController();
    const end = () => controller.abort();
    const limit = setTimeout(end, timeoutMs);
    signal?.addEventListener('abort', end, { once: true });
    const body = { model, input: texts, encoding_format: encoding, ...(dimensions !== undefined && { dimensions }) };
    let reply: { readonly response: Response; readonly text: string };
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(authorization && { authorization }),
        },
        body: JSON.stringify(body),
        redirect: 'manual',
        signal: controller.signal,
      });
      reply = { response, text: await response.text() };
    } catch (error) {
      if (signal?.aborted) throw new ConnectorError('aborted', 'Embedding was aborted.');
      if (controller.signal.aborted)
        throw new ConnectorError('timeout', `The embedder at ${endpoint} did not answer within ${timeoutMs} ms.`);
      // The cause is left out: it may hold the request.
      throw new ConnectorError('network', `The embedder at ${endpoint} could not be reached${reasonOf(error)}.`, {
        hint: 'Check that it runs, and that its address is right.',
      });
    } finally {
      clearTimeout(limit);
      signal?.removeEventListener('abort', end);
    }
    if (!reply.response.ok) throw responseError(endpoint, reply.response, clean(reply.text));
    const vectors = vectorsIn(endpoint, reply.text, texts.length, length);
    length ??= vectors[0]?.length;
    return vectors;
  };

  return async (texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> => {
    try {
      return await sendOnce(texts, signal);
    } catch (error) {
      if (encoding === 'float' || !ConnectorError.is(error) || !error.message.includes('encoding_format')) throw error;
      // Some servers know numbers alone.
      encoding = 'float';
      return await sendOnce(texts, signal);
    }
  };
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new ConnectorError(
      'invalid_params',
      'The address of the embedder must be one of http or https, without user and password in it.',
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (!path.endsWith('/embeddings')) url.pathname = `${path || '/v1'}/embeddings`;
  return url;
}

function bearer(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return `Bearer ${key}`;
  throw new ConnectorError('invalid_credentials', 'The key of the embedder has a character that no header can hold.');
}

/** Takes secrets out of what a server says, in the forms in which it may repeat them. */
function redactor(secrets: readonly (string | undefined)[]) {
  const forms = secrets.flatMap((secret) =>
    secret ? [secret, encodeURIComponent(secret), btoa(secret), JSON.stringify(secret).slice(1, -1)] : [],
  );
  const long = [...new Set(forms)].filter(({ length }) => length > 3).sort((a, b) => b.length - a.length);
  return (text: string) => long.reduce((clean, form) => clean.replaceAll(form, '[redacted]'), text);
}

function responseError(endpoint: string, { status, headers }: Response, text: string): ConnectorError {
  const redirected = status >= 300 && status < 400;
  // A server that refuses a key tends to repeat a part of it.
  const words = redirected || status === 401 || status === 403 ? '' : errorText(text);
  const hint = redirected ? 'Set the address that it redirects to.' : hints[status];
  return new ConnectorError(
    codeOfStatus(status),
    `The embedder at ${endpoint} answered ${status}${words && `: ${words}`}.`,
    {
      status,
      retryable: status === 429 || status >= 500,
      retryAfterMs: retryAfter(headers),
      hint,
    },
  );
}

/** What a server says of a failure, in one of the forms that are in use, or nothing where it sends a page. */
function errorText(said: string): string {
  let words = said.trimStart().startsWith('<') ? '' : said;
  try {
    const { error, message, detail } = JSON.parse(said);
    const found = [error?.message, error, message, detail].find((text) => typeof text === 'string');
    words = found ?? said;
  } catch {
    // Words that are no JSON are taken as they are.
  }
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, 200).replace(/\.$/, '');
}

function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : undefined;
}

function reasonOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { readonly code?: unknown };
    if (typeof code === 'string' && /^[A-Z_]+$/.test(code)) return ` (${code})`;
  }
  return '';
}

/** Where an embedder is asked, and for what. */
export interface OpenaiOptions {
  /** Address of the interface, such as `http://127.0.0.1:11434/v1`; `/embeddings` is added where it is missing. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** How long the vectors are to be, for models that leave the choice. */
  readonly dimensions?: number | undefined;
  /** What the model wants to read before a question, such as `query: `. */
  readonly queryPrefix?: string | undefined;
  /** What the model wants to read before a passage, such as `passage: `. */
  readonly passagePrefix?: string | undefined;
  /** How many texts go into one request. (64) */
  readonly batch?: number | undefined;
  /** How long one request may take. (60 s) */
  readonly timeoutMs?: number | undefined;
  /** How often a request is repeated that failed for a passing reason. (2) */
  readonly retries?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}
