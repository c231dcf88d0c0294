import { applyFault, substituteReply } from './apply-fault.js';
import { createClock } from './clock.js';
import { answerControl } from './control.js';
import { deliver, fetchError } from './deliver.js';
import { createFaultPlan, type FaultRule } from './faults.js';
import { createRequestLog, safeFields, safeHeaders } from './requests.js';
import { checkVendors, createRouter, type Destination } from './routing.js';
import type { Sandbox, SandboxOptions } from './types.js';
import type { VendorInstance, VendorRecord, VendorReply, VendorRequest } from './vendor.js';
import { vendors as builtIn, type VendorHandles } from './vendors.js';

const maxRedirects = 20;

interface SandboxDump {
  version: 1;
  clock: { offset: number };
  vendors: Record<string, unknown>;
}

/** Creates a sandbox with its own data, clock, faults and credentials. */
export function createSandbox<const Added extends VendorRecord = {}>(
  options: SandboxOptions<Added> = {},
): Sandbox<Added> {
  if (options.vendors !== undefined) checkVendors(options.vendors, builtIn);
  const vendors: VendorRecord = { ...builtIn, ...options.vendors };
  const router = createRouter(vendors);
  const clock = createClock(options.now);
  const context = {
    seed: options.seed ?? 1,
    scale: options.scale ?? 1,
    clock,
    start: clock.start,
    ...(options.driveFolder && { driveFolder: options.driveFolder }),
  };
  const instances = new Map(Object.entries(vendors).map(([name, vendor]) => [name, vendor.create(context)]));
  const names = [...instances.keys()];
  const eachInstance = (value: (instance: VendorInstance) => unknown): Record<string, unknown> =>
    Object.fromEntries([...instances].map(([name, instance]) => [name, value(instance)]));
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
    const vendorRequest: VendorRequest = {
      method,
      base,
      path,
      search,
      headers,
      bytes,
      // Lazy, so that large uploads are never read as text.
      get body() {
        return new TextDecoder().decode(bytes);
      },
    };
    signal?.throwIfAborted();
    const instance = instances.get(vendor)!;
    const notes = instance.notes(vendorRequest);
    const fault = plan.next({ vendor, path, rootField: notes.rootField });
    const { reply, delivery } = await answer(instance, vendorRequest, fault);
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
    // Clients compare times in headers with the vendor's clock.
    const headersWithDate = { ...reply.headers, date: new Date(clock.now()).toUTCString() };
    return deliver({ ...reply, headers: headersWithDate }, delivery, signal);
  };

  const follow = async (request: Request, signal: AbortSignal | undefined, hops: number): Promise<Response> => {
    signal?.throwIfAborted();
    const url = new URL(request.url);
    const destination = router.find(url);
    if (!destination) throw fetchError('ENOTFOUND', `getaddrinfo ENOTFOUND ${url.hostname}`);
    const response = await exchange(destination, request, signal);
    Object.defineProperty(response, 'url', { value: request.url });
    const next = redirectRequest(response, request);
    if (!next) return response;
    if (hops === maxRedirects) throw new TypeError('fetch failed', { cause: new Error('redirect count exceeded') });
    return follow(next, signal, hops + 1);
  };

  const sandbox: Sandbox<Added> = {
    async fetch(input, init) {
      const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
      return follow(new Request(input, init), signal, 0);
    },
    vendorOf: (url) => router.findByOrigin(new URL(url))?.vendor,
    async handle(request) {
      const url = new URL(request.url);
      if (url.pathname === '/_sandbox' || url.pathname.startsWith('/_sandbox/')) return answerControl(sandbox, request);
      const destination = router.findByPath(url);
      return destination
        ? exchange(destination, request, request.signal)
        : Response.json({ error: 'not_found', vendors: names.map((name) => `/${name}`) }, { status: 404 });
    },
    vendors: eachInstance(({ handle }) => handle) as VendorHandles<Added>,
    faults: { add: (rule) => plan.add(rule), clear: () => plan.clear() },
    requests: requests.log,
    clock: { now: clock.now, advance: clock.advance },
    expireTokens() {
      for (const instance of instances.values()) instance.expireTokens();
    },
    revoke(secret) {
      for (const instance of instances.values()) instance.revoke(secret);
    },
    reset() {
      clock.offset = 0;
      for (const instance of instances.values()) instance.reset();
      plan = createFaultPlan(options.faults, options.chaos);
      requests.log.clear();
    },
    dump: (): SandboxDump => ({
      version: 1,
      clock: { offset: clock.offset },
      vendors: eachInstance((instance) => instance.dump()),
    }),
    load(state) {
      const dump = state as SandboxDump | undefined;
      if (dump?.version !== 1) throw new TypeError('load() needs the result of dump()');
      const missing = names.find((name) => dump.vendors[name] === undefined);
      if (missing !== undefined) throw new TypeError(`The state contains nothing for vendor '${missing}'.`);
      clock.offset = dump.clock.offset;
      for (const [name, instance] of instances) instance.load(dump.vendors[name]);
    },
  };
  return sandbox;
}

async function answer(instance: VendorInstance, request: VendorRequest, fault: FaultRule | undefined) {
  const lost: VendorReply = { status: 0, headers: {}, body: '' };
  if (fault?.kind === 'reset_before') return { reply: lost, delivery: { reset: true as const } };
  const substitute = fault && substituteReply(fault);
  if (fault && substitute) {
    if (fault.applied) await instance.answer(request, undefined);
    return { reply: substitute, delivery: {} };
  }
  return applyFault(await instance.answer(request, fault), fault);
}

/** The request that follows a redirect, without credentials if the origin changes. */
function redirectRequest(response: Response, request: Request): Request | undefined {
  const location = response.headers.get('location');
  if (response.status < 300 || response.status > 399 || !location || request.redirect === 'manual') return undefined;
  if (request.redirect === 'error') throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
  const next = new URL(location, request.url);
  const headers = new Headers(request.headers);
  if (next.origin !== new URL(request.url).origin) headers.delete('authorization');
  return new Request(next, { headers });
}
