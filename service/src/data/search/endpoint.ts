import { ConnectorError, codeOfStatus } from 'agent-connectors';

/** An HTTP server configured by the operator that accepts JSON. */
export interface EndpointOptions {
  /** Name of this server in messages. */
  readonly name: string;
  readonly url: string;
  /** Path that the URL must end with; appended if it does not. */
  readonly path: string;
  readonly apiKey?: string | undefined;
  readonly timeoutMs: number;
  readonly fetch?: typeof fetch | undefined;
}

/** Posts JSON to a server and returns the response text. */
export interface Endpoint {
  /** The server's URL without the query string, which may contain a key. */
  readonly address: string;
  post(body: unknown, signal?: AbortSignal): Promise<string>;
}

/** Prepares requests to a server; errors never contain the key. */
export function endpointOf({
  name,
  timeoutMs,
  apiKey,
  fetch = globalThis.fetch,
  ...options
}: EndpointOptions): Endpoint {
  const url = addressOf(options.url, options.path, name);
  const address = `${url.origin}${url.pathname}`;
  const authorization = apiKey === undefined ? undefined : bearer(apiKey, name);
  const clean = redactor([apiKey, ...url.searchParams.values()]);
  const aborted = () => new ConnectorError('aborted', `The request to the ${name} was aborted.`);
  return {
    address,
    async post(body, signal) {
      if (signal?.aborted) throw aborted();
      const controller = new AbortController();
      const end = () => controller.abort();
      const limit = setTimeout(end, timeoutMs);
      signal?.addEventListener('abort', end, { once: true });
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
        if (signal?.aborted) throw aborted();
        if (controller.signal.aborted)
          throw new ConnectorError('timeout', `The ${name} at ${address} did not respond within ${timeoutMs} ms.`);
        // The cause is omitted because it may contain the request.
        throw new ConnectorError('network', `The ${name} at ${address} could not be reached${reasonOf(error)}.`, {
          hint: 'Check that it is running and that its URL is correct.',
        });
      } finally {
        clearTimeout(limit);
        signal?.removeEventListener('abort', end);
      }
      if (!reply.response.ok)
        throw responseError({ name, address, path: options.path }, reply.response, clean(reply.text));
      return reply.text;
    },
  };
}

const hintOf = (status: number, name: string, path: string): string | undefined =>
  ({
    401: `Check the key for the ${name}.`,
    403: `Check the key for the ${name} and its permissions.`,
    404: `Check that the URL ends in /v1 or /v1/${path}, and that the server has the model.`,
  })[status];

function addressOf(text: string, path: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new ConnectorError(
      'invalid_params',
      `The ${name} URL must be an http or https URL without a username or password.`,
    );
  }
  const given = url.pathname.replace(/\/+$/, '');
  if (!given.endsWith(`/${path}`)) url.pathname = `${given || '/v1'}/${path}`;
  return url;
}

function bearer(key: string, name: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return `Bearer ${key}`;
  throw new ConnectorError('invalid_credentials', `The key for the ${name} is not a valid header value.`);
}

/** Redacts secrets from a server's response, in every form they may appear in. */
function redactor(secrets: readonly (string | undefined)[]) {
  const forms = secrets.flatMap((secret) =>
    secret ? [secret, encodeURIComponent(secret), btoa(secret), JSON.stringify(secret).slice(1, -1)] : [],
  );
  const long = [...new Set(forms)].filter(({ length }) => length > 3).sort((a, b) => b.length - a.length);
  return (text: string) => long.reduce((clean, form) => clean.replaceAll(form, '[redacted]'), text);
}

function responseError(
  { name, address, path }: { readonly name: string; readonly address: string; readonly path: string },
  { status, headers }: Response,
  text: string,
): ConnectorError {
  const redirected = status >= 300 && status < 400;
  // Servers tend to quote part of a rejected key.
  const words = redirected || status === 401 || status === 403 ? '' : errorText(text);
  const hint = redirected ? 'Set the URL to the redirect target.' : hintOf(status, name, path);
  return new ConnectorError(
    codeOfStatus(status),
    `The ${name} at ${address} responded with ${status}${words && `: ${words}`}.`,
    {
      status,
      retryable: status === 429 || status >= 500,
      retryAfterMs: retryAfter(headers),
      hint,
    },
  );
}

/** Extracts the error message from a server's response in any common format; empty for an HTML page. */
function errorText(said: string): string {
  let words = said.trimStart().startsWith('<') ? '' : said;
  try {
    const { error, message, detail } = JSON.parse(said);
    const found = [error?.message, error, message, detail].find((text) => typeof text === 'string');
    words = found ?? said;
  } catch {
    // Not JSON: use the text unchanged.
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
