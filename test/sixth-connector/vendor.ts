import type { FaultRule } from 'agent-connectors-sandbox';
import type { EmulatedVendor } from 'agent-connectors-sandbox/testing';
import { applyFault, substituteReply } from '../../sandbox/src/apply-fault.js';
import { deliver } from '../../sandbox/src/deliver.js';
import { createFaultPlan } from '../../sandbox/src/faults.js';
import { createRequestLog } from '../../sandbox/src/requests.js';
import type { VendorReply } from '../../sandbox/src/vendor.js';

/** The larder's only key. */
export const key = 'larder_key_of_the_cook';

interface Jar {
  id: string;
  label: string;
  grams: number | null;
  keeper: { name: string } | null;
  filled_at: string;
  /** One of three shelves; no record contains it. */
  shelf: number;
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}): VendorReply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** A vendor in some thirty lines, with the sandbox's faults. */
export function larder(): EmulatedVendor {
  const jars = Array.from({ length: 7 }, (_, index) => jarOf(index + 1, { label: `Jam of ${2019 + index}` }));
  const faults = createFaultPlan();
  const { log, add } = createRequestLog();

  function page(search: URLSearchParams, kind: FaultRule['kind'] | undefined): VendorReply {
    const from = Number(search.get('cursor') ?? 0);
    const size = Number(search.get('size') ?? 20);
    const to = from + (kind === 'half_page' ? Math.ceil(size / 2) : size);
    const on = search.get('shelf');
    const found = jars.filter(({ shelf }) => on === null || String(shelf) === on);
    const next = kind === 'endless_cursor' ? '1' : to < found.length ? String(to) : undefined;
    return json(200, { jars: found.slice(from, to), next: kind === 'null_cursor' ? '' : next });
  }

  function answer(method: string, url: URL, headers: Headers, body: string, fault?: FaultRule): VendorReply {
    const isAuthorized = headers.get('authorization') === `Bearer ${key}`;
    if (!isAuthorized || fault?.kind === 'expired_token') return json(401, { problem: 'no such key' });
    if (fault?.kind === 'rate_limited') {
      return json(429, { problem: 'too often' }, { 'retry-after': String(fault.retryAfter ?? 1) });
    }
    if (fault?.kind === '500') return json(500, { problem: 'spilt' });
    const [, , kind, id, part] = url.pathname.split('/');
    if (kind === 'shelves')
      return json(200, { shelves: ['Jam', 'Pickles', 'Honey'].map((name, at) => ({ id: at + 1, name })) });
    if (id === undefined && method === 'GET') return page(url.searchParams, fault?.kind);
    if (id === undefined) {
      jars.push(jarOf(jars.length + 1, JSON.parse(body)));
      return json(201, jars.at(-1));
    }
    const index = jars.findIndex((jar) => jar.id === id);
    if (index < 0) return json(404, { problem: 'no such jar' });
    if (part === 'picture')
      return { status: 200, headers: { 'content-type': 'image/svg+xml' }, body: '<svg/>'.repeat(99) };
    if (method === 'DELETE') jars.splice(index, 1);
    if (method === 'PATCH') Object.assign(jars[index]!, JSON.parse(body));
    return json(200, method === 'DELETE' ? {} : jars[index]);
  }

  return {
    faults,
    requests: log,
    dump: () => structuredClone(jars),
    async fetch(input, init) {
      init?.signal?.throwIfAborted();
      const request = new Request(input, init);
      const url = new URL(request.url);
      const { method } = request;
      const fault = faults.next({ vendor: 'larder', path: url.pathname });
      const ask = (also?: FaultRule) => answer(method, url, request.headers, String(init?.body ?? ''), also);
      const substitute = fault && substituteReply(fault);
      if (substitute && fault.applied) ask();
      const lost = fault?.kind === 'reset_before';
      const { reply, delivery } = substitute
        ? { reply: substitute, delivery: {} }
        : lost
          ? { reply: json(0, null), delivery: { reset: true as const } }
          : applyFault(ask(fault), fault);
      const status = 'reset' in delivery ? 0 : reply.status;
      const logDefaults = { query: {}, headers: {}, credential: '', body: null, time: 0 };
      add({
        vendor: 'larder',
        method,
        path: url.pathname,
        status,
        ...logDefaults,
        ...(fault && { fault: fault.kind }),
      });
      return deliver(reply, delivery, init?.signal ?? undefined);
    },
  };
}

const jarOf = (number: number, { label, grams = null }: { label: string; grams?: number | null }): Jar => ({
  id: `jar_${number}`,
  label,
  grams,
  keeper: number % 2 === 0 ? { name: 'Ines' } : null,
  filled_at: '2026-09-01T08:00:00.000Z',
  shelf: ((number - 1) % 3) + 1,
});

/** A larder, and the requests it has received. */
export function watched() {
  const vendor = larder();
  const requests: string[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : String(input));
    requests.push(pathname + search);
    return vendor.fetch(input, init);
  };
  return { fetch, requests };
}
