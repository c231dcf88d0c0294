import { createClock } from './clock.js';
import { answerControl } from './control.js';
import { deliver, fetchFailed } from './deliver.js';
import { createFaultPlan, type FaultRule } from './faults.js';
import { createRequestLog, safeFields, safeHeaders } from './requests.js';
import { replyInstead, spoil } from './spoil.js';
import type { Sandbox, SandboxOptions } from './types.js';
import type { VendorInstance, VendorReply, VendorRequest } from './vendor.js';
import { type VendorHandles, type VendorName, vendors } from './vendors.js';

const mostRedirects = 20;

interface SandboxDump {
  version: 1;
  clock: { offset: number };
  vendors: Record<string, unknown>;
}

interface Destination {
  vendor: VendorName;
  base: string;
  path: string;
}

/** Makes a sandbox of its own data, clock, faults and credentials. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const clock = createClock(options.now);
  const context = {
    ...{ seed: options.seed ?? 1, scale: options.scale ?? 1, clock, start: clock.start },
    ...(options.driveFolder && { driveFolder: options.driveFolder }),
  };
  const names = Object.keys(vendors) as VendorName[];
  const instances = Object.fromEntries(names.map((name) => [name, vendors[name].create(context)])) as Record<
    VendorName,
    VendorInstance
  >;
  const requests = createRequestLog();
  let plan = createFaultPlan(options.faults, options.chaos);

  const exchange = async (
    { vendor, base, path }: Destination,
    request: Request,
    signal?: AbortSignal,
  ): Promise<Response> => {
    const { searchParams: search } = new URL(request.url);
    const { method, headers } = request;
    const bytes = new Uint8Array(await request.arrayBuffer());
    const asked: VendorRequest = {
      ...{ method, base, path, search, headers, bytes },
      // Large uploads are never read as text.
      get body() {
        return new TextDecoder().decode(bytes);
      },
    };
    signal?.throwIfAborted();
    const notes = instances[vendor].notes(asked);
    const fault = plan.next({ vendor, path, rootField: notes.rootField });
    const { reply, delivery } = await answer(instances[vendor], asked, fault);
    requests.add({
      vendor,
      method,
      path,
      query: safeFields(search),
      headers: safeHeaders(headers, notes.credential),
      credential: notes.credential,
      body: notes.body,
      ...(notes.rootField !== undefined && { rootField: notes.rootField }),
      status: delivery.reset ? 0 : reply.status,
      time: clock.now(),
      ...(fault && { fault: fault.kind }),
    });
    // A client that knows the vendor's clock can make sense of the times in its headers.
    const headersWithDate = { ...reply.headers, date: new Date(clock.now()).toUTCString() };
    return deliver({ ...reply, headers: headersWithDate }, delivery, signal);
  };

  const follow = async (request: Request, signal: AbortSignal | undefined, hops: number): Promise<Response> => {
    signal?.throwIfAborted();
    const url = new URL(request.url);
    const destination = destinationOf(url);
    if (!destination) throw fetchFailed('ENOTFOUND', `getaddrinfo ENOTFOUND ${url.hostname}`);
    const response = await exchange(destination, request, signal);
    Object.defineProperty(response, 'url', { value: request.url });
    const next = redirected(response, request);
    if (!next) return response;
    if (hops === mostRedirects) throw new TypeError('fetch failed', { cause: new Error('redirect count exceeded') });
    return follow(next, signal, hops + 1);
  };

  const sandbox: Sandbox = {
    async fetch(input, init) {
      const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
      return follow(new Request(input, init), signal, 0);
    },
    async handle(request) {
      const url = new URL(request.url);
      if (url.pathname === '/_sandbox' || url.pathname.startsWith('/_sandbox/')) return answerControl(sandbox, request);
      const destination = below(url);
      return destination
        ? exchange(destination, request, request.signal)
        : Response.json({ error: 'not_found', vendors: names.map((name) => `/${name}`) }, { status: 404 });
    },
    vendors: Object.fromEntries(names.map((name) => [name, instances[name].handle])) as unknown as VendorHandles,
    faults: { add: (rule) => plan.add(rule), clear: () => plan.clear() },
    requests: requests.log,
    clock: { now: clock.now, advance: clock.advance },
    expireTokens() {
      for (const name of names) instances[name].expireTokens();
    },
    revoke(secret) {
      for (const name of names) instances[name].revoke(secret);
    },
    reset() {
      clock.offset = 0;
      for (const name of names) instances[name].reset();
      plan = createFaultPlan(options.faults, options.chaos);
      requests.log.clear();
    },
    dump: (): SandboxDump => ({
      version: 1,
      clock: { offset: clock.offset },
      vendors: Object.fromEntries(names.map((name) => [name, instances[name].dump()])),
    }),
    load(state) {
      const dump = state as SandboxDump | undefined;
      if (dump?.version !== 1) throw new TypeError('load() takes what dump() gave');
      clock.offset = dump.clock.offset;
      for (const name of names) instances[name].load(dump.vendors[name]);
    },
  };
  return sandbox;
}

async function answer(instance: VendorInstance, asked: VendorRequest, fault: FaultRule | undefined) {
  const lost: VendorReply = { status: 0, headers: {}, body: '' };
  if (fault?.kind === 'reset_before') return { reply: lost, delivery: { reset: true as const } };
  const instead = fault && replyInstead(fault);
  if (fault && instead) {
    if (fault.applied) await instance.answer(asked, undefined);
    return { reply: instead, delivery: {} };
  }
  return spoil(await instance.answer(asked, fault), fault);
}

function destinationOf(url: URL): Destination | undefined {
  for (const vendor of Object.keys(vendors) as VendorName[]) {
    const address = `${url.origin}${url.pathname}`;
    const isOurs = vendors[vendor].origins.some((start) => isBelow(address, start));
    if (isOurs) return { vendor, base: url.origin, path: url.pathname };
  }
  return below(url);
}

/** Whether an address begins with another, in which `*` stands for one part of a host's name. */
function isBelow(address: string, start: string): boolean {
  if (!start.includes('*')) return address === start || address.startsWith(`${start}/`);
  const [before, after] = start.split('*').map((part) => part.replaceAll('.', '\\.'));
  return new RegExp(`^${before}[^/.]+${after}(/|$)`).test(address);
}

function below({ origin, pathname }: URL): Destination | undefined {
  const vendor = (Object.keys(vendors) as VendorName[]).find((name) => pathname.startsWith(`/${name}/`));
  return vendor && { vendor, base: `${origin}/${vendor}`, path: pathname.slice(vendor.length + 1) };
}

/** The request that a redirect leads to, without the credential where the origin changes. */
function redirected(response: Response, request: Request): Request | undefined {
  const location = response.headers.get('location');
  if (response.status < 300 || response.status > 399 || !location || request.redirect === 'manual') return undefined;
  if (request.redirect === 'error') throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
  const next = new URL(location, request.url);
  const headers = new Headers(request.headers);
  if (next.origin !== new URL(request.url).origin) headers.delete('authorization');
  return new Request(next, { headers });
}
