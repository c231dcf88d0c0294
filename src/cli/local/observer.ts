import type { Quota } from '../../manifest/setup.js';

/** Information in a vendor's responses besides their content. */
export interface Observation {
  /** Seconds the vendor's clock is ahead; null if no response had a date. */
  readonly clockSkew: number | null;
  readonly quota: readonly Quota[];
  /** Scopes of a new token; null if the vendor does not report them. */
  readonly scopes: readonly string[] | null;
  /** The last host that did not respond. */
  readonly unreachable: string | null;
}

/** A fetch that inspects the headers of every response. */
export interface Observer {
  readonly fetch: typeof globalThis.fetch;
  observation(): Observation;
}

const remainingHeader = /^(?:x-)?rate-?limit-(?:(.+)-)?remaining$/;

/** Observes the responses of one vendor. */
export function observe(fetch: typeof globalThis.fetch, now: () => number = Date.now): Observer {
  let clockSkew: number | null = null;
  let scopes: readonly string[] | null = null;
  let unreachable: string | null = null;
  const quota = new Map<string, Quota>();

  const inspectResponse = async (url: string, started: number, response: Response) => {
    const date = Date.parse(response.headers.get('date') ?? '');
    // The header is truncated to seconds and was written between the two times.
    if (Number.isFinite(date)) clockSkew = Math.round((date + 500 - (started + now()) / 2) / 1000);
    for (const [header, value] of response.headers) {
      const name = remainingHeader.exec(header);
      if (!name || !/^\d+$/.test(value)) continue;
      const limit = response.headers.get(header.replace(/remaining$/, 'limit'));
      const kind = name[1] ?? 'requests';
      quota.set(kind, {
        name: kind,
        remaining: Number(value),
        limit: limit && /^\d+$/.test(limit) ? Number(limit) : null,
      });
    }
    if (/\/token$|token\?/.test(url) && response.ok) {
      const body = (await response
        .clone()
        .json()
        .catch(() => undefined)) as { scope?: unknown } | undefined;
      if (typeof body?.scope === 'string') scopes = body.scope.split(/[\s,]+/).filter(Boolean);
    }
  };
  return {
    async fetch(input, init) {
      const started = now();
      const url = input instanceof Request ? input.url : String(input);
      const response = await fetch(input, init).catch((error: unknown) => {
        unreachable = new URL(url).host;
        throw error;
      });
      await inspectResponse(url, started, response);
      return response;
    },
    observation: () => ({ clockSkew, quota: [...quota.values()], scopes, unreachable }),
  };
}
