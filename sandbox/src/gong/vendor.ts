import { basicOf, bearerOf } from '../authorization.js';
import type { FaultRule } from '../faults.js';
import { Random } from '../random.js';
import type { RequestNotes, Vendor, VendorContext, VendorInstance, VendorReply, VendorRequest } from '../vendor.js';
import { customerHost, type GongCredentials, type Grant, gongCredentials, keyGrants } from './credentials.js';
import { apiErrors, GongApiError, refusals } from './errors.js';
import { answerMedia, mediaBaseFor, mediaOrigin, signedAddress } from './media.js';
import { OAuth } from './oauth.js';
import { type GongLimits, RateLimiter } from './rate-limiter.js';
import { jsonReply } from './reply.js';
import { matchRoute } from './routes.js';
import type { CallRow, GongWorld } from './rows.js';
import { seedWorld } from './seed/world.js';

/** Public interface of the Gong emulation. */
export interface GongHandle {
  /** The vendor's path on a server. */
  path: '/gong';
  /** Accepted credentials, by purpose. */
  credentials: GongCredentials;
  /** Overrides the company's documented limits. */
  limits: GongLimits;
  /** Reasons of the fault `refused`. */
  refusals: readonly string[];
  /** Deletes a call, as an administrator can. */
  deleteCall(id: string): void;
  /** Makes a call private, as its host can. */
  hideCall(id: string): void;
  /** Changes a call, as users can, or the time from which Gong lists it, as for an import or a slow upload. */
  changeCall(id: string, changes: CallChanges): void;
}

/** Changes to a call. */
export interface CallChanges {
  title?: string;
  /** New names of participants, by party id. */
  partyNames?: Readonly<Record<string, string>>;
  /** When the call and its analysis appear in lists; milliseconds since 1970. */
  listedAt?: number;
}

type SeedOptions = Pick<VendorContext, 'seed' | 'scale' | 'start'>;

interface GongDump {
  /** Inputs for generating the calls, which are not stored because the API cannot modify them. */
  world: SeedOptions;
  edits?: Edits;
  oauth: OAuth['state'];
  revoked: string[];
  limits: GongLimits;
  taken: Pick<RateLimiter, 'lately' | 'today'>;
  random: number;
}

/** Gong's API v2, at https://api.gong.io and at the customer's own host. */
export const gong: Vendor<GongHandle> = {
  origins: ['https://api.gong.io', 'https://*.api.gong.io', 'https://app.gong.io/oauth2', mediaOrigin],
  create: (context) => new Gong(context),
};

class Gong implements VendorInstance<GongHandle> {
  readonly handle: GongHandle;
  private readonly context: VendorContext;
  private seedOptions: SeedOptions;
  private edits: Edits = { deleted: [], hidden: [], changed: {} };
  private cachedWorld: GongWorld | undefined;
  private oauth: OAuth;
  private rateLimiter = new RateLimiter();
  private revoked = new Set<string>();
  private random: Random;

  constructor(context: VendorContext) {
    this.context = context;
    const { seed, scale, start, clock } = context;
    this.seedOptions = { seed, scale, start };
    this.oauth = new OAuth(clock, seed);
    this.random = new Random(seed ^ 0x6096);
    const vendor = this;
    this.handle = {
      path: '/gong',
      credentials: structuredClone(gongCredentials),
      refusals: Object.keys(refusals),
      get limits() {
        return vendor.rateLimiter.limits;
      },
      set limits(limits) {
        vendor.rateLimiter.limits = { ...limits };
      },
      deleteCall: (id) => this.edit({ deleted: [...this.edits.deleted, id] }),
      hideCall: (id) => this.edit({ hidden: [...this.edits.hidden, id] }),
      changeCall: (id, changes) => {
        const { changed } = this.edits;
        this.edit({ changed: { ...changed, [id]: { ...changed[id], ...changes } } });
      },
    };
  }

  notes({ headers, base, path, body }: VendorRequest): RequestNotes {
    const { endpoint } = endpointOf(base, path);
    if (endpoint === 'authorization') return { credential: 'none', body: null };
    const credential = headers.has('authorization') ? (this.grantOf(headers)?.label ?? 'unknown') : 'none';
    return { credential, body: endpoint === 'media' || body === '' ? null : (parseJson(body) ?? '<unreadable>') };
  }

  answer(request: VendorRequest, fault: FaultRule | undefined): VendorReply {
    const { base } = request;
    const now = this.context.clock.now();
    const { endpoint, path } = endpointOf(base, request.path);
    if (endpoint === 'authorization') return this.oauth.answer(request, fault, customerAddressFor(base));
    if (endpoint === 'media') return answerMedia(request, this.data.calls, now, fault);
    const requestId = this.random.uuid().replaceAll('-', '').slice(0, 20);
    try {
      return jsonReply(200, requestId, this.reply({ ...request, path, body: request.body }, endpoint, fault, now));
    } catch (error) {
      if (!(error instanceof GongApiError)) throw error;
      const { status, errors, headers } = error;
      return jsonReply(status, requestId, errors.length === 0 ? { message: 'Unauthorized' } : { errors }, headers);
    }
  }

  expireTokens(): void {
    this.oauth.expireTokens();
  }

  revoke(secret: string): void {
    this.oauth.revoke(secret);
    this.revoked.add(secret);
  }

  reset(): void {
    const { seed, scale, start, clock } = this.context;
    this.seedOptions = { seed, scale, start };
    this.edit({ deleted: [], hidden: [], changed: {} });
    this.oauth = new OAuth(clock, seed);
    this.rateLimiter = new RateLimiter();
    this.revoked = new Set();
    this.random = new Random(seed ^ 0x6096);
  }

  dump(): GongDump {
    const { limits, lately, today } = this.rateLimiter;
    return structuredClone({
      world: this.seedOptions,
      edits: this.edits,
      oauth: this.oauth.state,
      revoked: [...this.revoked],
      limits,
      taken: { lately, today },
      random: this.random.state,
    });
  }

  load(state: unknown): void {
    const dump = structuredClone(state) as GongDump;
    this.reset();
    this.seedOptions = dump.world;
    if (dump.edits) this.edit(dump.edits);
    this.oauth.state = dump.oauth;
    this.revoked = new Set(dump.revoked);
    this.rateLimiter.limits = dump.limits;
    Object.assign(this.rateLimiter, dump.taken);
    this.random.state = dump.random;
  }

  private get data(): GongWorld {
    this.cachedWorld ??= applyEdits(seedWorld(this.seedOptions), this.edits);
    return this.cachedWorld;
  }

  private edit(edits: Partial<Edits>): void {
    this.edits = { ...this.edits, ...edits };
    this.cachedWorld = undefined;
  }

  private reply(request: VendorRequest, endpoint: Endpoint, fault: FaultRule | undefined, now: number): object {
    const { method, path, search, headers, base } = request;
    const grant = this.grantOf(headers);
    const isToken = bearerOf(headers) !== undefined;
    const isElsewhere = endpoint === 'foreign' || (grant?.isRegional === true && endpoint !== 'customer');
    if (!grant || isElsewhere || fault?.kind === 'expired_token') {
      if (isElsewhere && !isToken) throw apiErrors.wrongHost();
      throw isToken ? apiErrors.badToken() : apiErrors.badKey();
    }
    if (fault?.kind === 'rate_limited') throw apiErrors.limited(fault.retryAfter ?? 1);
    const wait = this.rateLimiter.take(now);
    if (wait !== undefined) throw apiErrors.limited(wait);
    if (fault?.kind === '500' || fault?.kind === 'internal_error') throw apiErrors.failed();
    if (fault?.kind === 'lock_timeout') throw apiErrors.unavailable();
    if (fault?.kind === 'refused')
      throw refusals[fault.reason ?? '']?.() ?? apiErrors.forbidden(fault.status, fault.reason);
    const match = matchRoute(method, path);
    if (!match) throw apiErrors.noRoute(path);
    if ('allow' in match) throw apiErrors.noMethod(match.allow);
    const { route, parts } = match;
    if (grant.scopes && !grant.scopes.has(route.scope)) throw apiErrors.scope(route.scope);
    return route.answer({
      world: this.data,
      grant,
      now,
      fault: fault?.kind,
      search,
      pathParameters: parts,
      body: method === 'POST' ? bodyOf(request.body) : {},
      pageSize: this.rateLimiter.limits.pageSize ?? 100,
      sign: (call, kind) => signedAddress(call, kind, now, this.random.uuid(), mediaBaseFor(base)),
    });
  }

  private grantOf(headers: Headers): Grant | undefined {
    const token = bearerOf(headers);
    if (token !== undefined) return this.oauth.grant(token);
    const pair = basicOf(headers) ?? '';
    const [key = '', secret = ''] = pair.split(':');
    return this.revoked.has(key) || this.revoked.has(secret) ? undefined : keyGrants.get(pair);
  }
}

function bodyOf(text: string): Record<string, any> {
  const body = parseJson(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw apiErrors.unreadable();
  return body as Record<string, any>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Edits that users can make in Gong but not through its API. */
interface Edits {
  /** Ids of deleted calls. */
  deleted: string[];
  /** Ids of calls made private. */
  hidden: string[];
  /** Other changes, by the call's id. */
  changed: Readonly<Record<string, CallChanges>>;
}

/** Applies the edits to the company's data. */
function applyEdits(world: GongWorld, { deleted, hidden, changed }: Edits): GongWorld {
  const deletedIds = new Set(deleted);
  const hiddenIds = new Set(hidden);
  return {
    ...world,
    calls: world.calls
      .filter(({ id }) => !deletedIds.has(id))
      .map((call) => (hiddenIds.has(call.id) ? { ...call, isPrivate: true } : call))
      .map((call) => changedCall(call, changed[call.id])),
    folders: world.folders.map((folder) => ({
      ...folder,
      calls: folder.calls.filter(({ callId }) => !deletedIds.has(callId)),
    })),
  };
}

function changedCall(call: CallRow, { title, partyNames = {}, listedAt }: CallChanges = {}): CallRow {
  const { occasion, parties } = call;
  return {
    ...call,
    ...(title !== undefined && { occasion: { ...occasion, title } }),
    ...(listedAt !== undefined && { ready: listedAt, analysed: listedAt }),
    parties: parties.map((party) => ({ ...party, name: partyNames[party.id] ?? party.name })),
  };
}

/** The Gong host to which a request was sent. */
type Endpoint = 'general' | 'customer' | 'foreign' | 'authorization' | 'media';

const customerName = customerHost.split('.')[0]!;

/** Determines the endpoint from the host or, on any other server, from the path prefix. */
function endpointOf(base: string, path: string): { endpoint: Endpoint; path: string } {
  const { hostname } = new URL(base);
  if (hostname === 'api.gong.io') return { endpoint: 'general', path };
  if (hostname === customerHost) return { endpoint: 'customer', path };
  if (hostname === 'app.gong.io') return { endpoint: 'authorization', path };
  if (base === mediaOrigin) return { endpoint: 'media', path };
  if (hostname.endsWith('.api.gong.io')) return { endpoint: 'foreign', path };
  if (path.startsWith('/oauth2/')) return { endpoint: 'authorization', path };
  if (path.startsWith('/media/')) return { endpoint: 'media', path };
  const own = `/${customerName}/`;
  return path.startsWith(own)
    ? { endpoint: 'customer', path: path.slice(own.length - 1) }
    : { endpoint: 'general', path };
}

/** The customer URL that the token endpoint returns. */
function customerAddressFor(base: string): string {
  return new URL(base).hostname.endsWith('gong.io') ? `https://${customerHost}` : base;
}
