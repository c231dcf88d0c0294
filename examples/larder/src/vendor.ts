// #region vendor
import { type FaultRule, Random, type Vendor, type VendorReply, type VendorRequest } from 'agent-connectors-sandbox';

interface Jar {
  id: string;
  label: string;
  grams: number | null;
  /** A field that the connector does not declare. */
  shelf: number;
}

const apiKey = 'larder_sandbox_key';
const fruits = ['Plum', 'Quince', 'Rowan', 'Sloe', 'Damson', 'Medlar', 'Elder'];

/** The Larder API, emulated. */
export const larderVendor = {
  origins: ['https://api.larder.example'],
  create({ seed }) {
    let jars = jarsOf(seed);
    let isRevoked = false;

    function answer({ method, path, search, headers, body }: VendorRequest, fault?: FaultRule): VendorReply {
      const isKnown = headers.get('authorization') === `Bearer ${apiKey}` && !isRevoked;
      if (!isKnown || fault?.kind === 'expired_token') return json(401, { problem: 'unknown key' });
      if (fault?.kind === 'rate_limited') {
        return json(429, { problem: 'too many requests' }, { 'retry-after': String(fault.retryAfter ?? 1) });
      }
      if (fault?.kind === '500') return json(500, { problem: 'internal error' });
      if (path === '/v1/jars' && method === 'GET') return page(search, fault?.kind);
      if (path === '/v1/jars' && method === 'POST') {
        const jar: Jar = { id: `jar_${jars.length + 1}`, grams: null, shelf: 1, ...JSON.parse(body) };
        jars.push(jar);
        return json(201, jar);
      }
      const jar = jars.find(({ id }) => method === 'GET' && path === `/v1/jars/${id}`);
      return jar ? json(200, jar) : json(404, { problem: 'no such jar' });
    }

    function page(search: URLSearchParams, fault: FaultRule['kind'] | undefined): VendorReply {
      const from = Number(search.get('cursor') ?? 0);
      const size = Number(search.get('size') ?? 20);
      const to = from + (fault === 'half_page' ? Math.ceil(size / 2) : size);
      const shelf = search.get('shelf');
      const found = jars.filter((jar) => shelf === null || String(jar.shelf) === shelf);
      const next = fault === 'endless_cursor' ? '1' : to < found.length ? String(to) : undefined;
      return json(200, { jars: found.slice(from, to), next: fault === 'null_cursor' ? '' : next });
    }

    return {
      handle: { credentials: { api_key: { api_key: apiKey } } },
      notes: ({ headers, body }) => ({
        credential: headers.has('authorization') ? 'api_key' : 'none',
        body: body === '' ? null : JSON.parse(body),
      }),
      answer,
      expireTokens() {},
      revoke(secret) {
        isRevoked ||= secret === apiKey;
      },
      reset() {
        jars = jarsOf(seed);
        isRevoked = false;
      },
      dump: () => structuredClone({ jars, isRevoked }),
      load(state) {
        ({ jars, isRevoked } = structuredClone(state) as { jars: Jar[]; isRevoked: boolean });
      },
    };
  },
} satisfies Vendor;

/** Loaded by `agent-connectors-sandbox --vendors`. */
export const vendors = { larder: larderVendor };

function jarsOf(seed: number): Jar[] {
  const random = new Random(seed);
  return fruits.map((label, index) => ({
    id: `jar_${index + 1}`,
    label,
    grams: random.chance(0.8) ? random.between(100, 500) : null,
    shelf: random.between(1, 4),
  }));
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): VendorReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}
// #endregion
