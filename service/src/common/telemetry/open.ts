import type { Telemetry, TelemetryOptions } from './types.js';

/** Telemetry that begins with its package, where that is installed. */
export interface OpenedTelemetry {
  readonly telemetry: Telemetry;
  /** Resolves when the package is loaded, or known not to be there. */
  readonly loaded: Promise<void>;
}

const silent: Telemetry = {
  received: (_, work) => work(),
  span: (_, __, work) => work(),
  call: (_, work) => work(),
  vendorHooks: () => ({}),
  vendor: { headers: () => ({}), replied: () => {} },
};

/** Opens telemetry by `@opentelemetry/api`; without that package everything is as if there were none. */
export function openTelemetry(options: TelemetryOptions): OpenedTelemetry {
  let current = silent;
  const load = async () => {
    const api = await import('@opentelemetry/api').catch((error: unknown) => {
      if ((error as { readonly code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') return undefined;
      throw error;
    });
    if (!api) return;
    const { telemetryBy } = await import('./by-api.js');
    current = telemetryBy(api, options);
  };
  const telemetry: Telemetry = {
    received: (headers, work) => current.received(headers, work),
    span: (name, attributes, work) => current.span(name, attributes, work),
    call: (call, work) => current.call(call, work),
    vendorHooks: (type) => current.vendorHooks(type),
    vendor: {
      headers: () => current.vendor.headers(),
      replied: (host, headers) => current.vendor.replied(host, headers),
    },
  };
  return { telemetry, loaded: load() };
}

/** The same `fetch`, of which telemetry is told; one for all, since limits of vendors are kept for each `fetch`. */
export const watchedFetch =
  (fetch: typeof globalThis.fetch, { vendor }: Telemetry): typeof globalThis.fetch =>
  async (input, init) => {
    const added = Object.entries(vendor.headers());
    const response = await fetch(input, added.length > 0 ? { ...init, headers: withAll(init?.headers, added) } : init);
    const url = input instanceof Request ? input.url : String(input);
    vendor.replied(new URL(url).hostname, response.headers);
    return response;
  };

function withAll(given: HeadersInit | undefined, added: ReadonlyArray<readonly [string, string]>): Headers {
  const headers = new Headers(given);
  for (const [name, value] of added) headers.set(name, value);
  return headers;
}
