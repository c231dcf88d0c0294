import type { FaultRule } from '../faults.js';
import { Random } from '../random.js';
import type { RequestNotes, Vendor, VendorContext, VendorInstance, VendorReply, VendorRequest } from '../vendor.js';
import { Allowance, type GongLimits } from './allowance.js';
import { answered } from './answer.js';
import { basicOf, bearerOf } from './authorization.js';
import { type GongCredentials, type Grant, gongCredentials, keyGrants } from './credentials.js';
import { type Edits, edited } from './edits.js';
import { answerMedia, mediaBaseFor, mediaOrigin, signedAddress } from './media.js';
import { OAuth } from './oauth.js';
import { customerAddressFor, type Place, placeOf } from './place.js';
import { Refusal, refusals } from './refusals.js';
import { routeOf } from './routes.js';
import type { GongWorld } from './rows.js';
import { seedWorld } from './seed/world.js';

/** What users of the sandbox see of Gong. */
export interface GongHandle {
  /** Where the vendor lies below the address of a server. */
  path: '/gong';
  /** Credentials that the vendor takes, by what they may do. */
  credentials: GongCredentials;
  /** Overrides the documented limits of the company. */
  limits: GongLimits;
  /** Deletes a call, as an administrator can. */
  deleteCall(id: string): void;
  /** Makes a call private, as its host can. */
  hideCall(id: string): void;
}

type World = Pick<VendorContext, 'seed' | 'scale' | 'start'>;

interface GongDump {
  /** What the calls are told from: no request can write, so they need no keeping. */
  world: World;
  edits?: Edits;
  oauth: OAuth['state'];
  revoked: string[];
  limits: GongLimits;
  taken: Pick<Allowance, 'lately' | 'today'>;
  random: number;
}

/** Gong's API v2, at https://api.gong.io and at the customer's own address. */
export const gong: Vendor<GongHandle> = {
  origins: ['https://api.gong.io', 'https://*.api.gong.io', 'https://app.gong.io/oauth2', mediaOrigin],
  create: (context) => new Gong(context),
};

class Gong implements VendorInstance<GongHandle> {
  readonly handle: GongHandle;
  private readonly given: VendorContext;
  private world: World;
  private edits: Edits = { deleted: [], hidden: [] };
  private built: GongWorld | undefined;
  private oauth: OAuth;
  private allowance = new Allowance();
  private revoked = new Set<string>();
  private random: Random;

  constructor(given: VendorContext) {
    this.given = given;
    const { seed, scale, start, clock } = given;
    this.world = { seed, scale, start };
    this.oauth = new OAuth(clock, seed);
    this.random = new Random(seed ^ 0x6096);
    const vendor = this;
    this.handle = {
      path: '/gong',
      credentials: structuredClone(gongCredentials),
      get limits() {
        return vendor.allowance.limits;
      },
      set limits(limits) {
        vendor.allowance.limits = { ...limits };
      },
      deleteCall: (id) => this.edit({ deleted: [...this.edits.deleted, id] }),
      hideCall: (id) => this.edit({ hidden: [...this.edits.hidden, id] }),
    };
  }

  notes({ headers, base, path, body }: VendorRequest): RequestNotes {
    const { place } = placeOf(base, path);
    if (place === 'authorization') return { credential: 'none', body: null };
    const credential = headers.has('authorization') ? (this.grantOf(headers)?.label ?? 'unknown') : 'none';
    return { credential, body: place === 'media' || body === '' ? null : (parsed(body) ?? '<unreadable>') };
  }

  answer(request: VendorRequest, fault: FaultRule | undefined): VendorReply {
    const { base } = request;
    const now = this.given.clock.now();
    const { place, path } = placeOf(base, request.path);
    if (place === 'authorization') return this.oauth.answer(request, fault, customerAddressFor(base));
    if (place === 'media') return answerMedia(request, this.data.calls, now, fault);
    const requestId = this.random.uuid().replaceAll('-', '').slice(0, 20);
    try {
      return answered(200, requestId, this.reply({ ...request, path, body: request.body }, place, fault, now));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return answered(error.status, requestId, { errors: error.errors }, error.headers);
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
    const { seed, scale, start, clock } = this.given;
    this.world = { seed, scale, start };
    this.edit({ deleted: [], hidden: [] });
    this.oauth = new OAuth(clock, seed);
    this.allowance = new Allowance();
    this.revoked = new Set();
    this.random = new Random(seed ^ 0x6096);
  }

  dump(): GongDump {
    const { limits, lately, today } = this.allowance;
    return structuredClone({
      world: this.world,
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
    this.world = dump.world;
    if (dump.edits) this.edit(dump.edits);
    this.oauth.state = dump.oauth;
    this.revoked = new Set(dump.revoked);
    this.allowance.limits = dump.limits;
    Object.assign(this.allowance, dump.taken);
    this.random.state = dump.random;
  }

  private get data(): GongWorld {
    this.built ??= edited(seedWorld(this.world), this.edits);
    return this.built;
  }

  private edit(edits: Partial<Edits>): void {
    this.edits = { ...this.edits, ...edits };
    this.built = undefined;
  }

  private reply(request: VendorRequest, place: Place, fault: FaultRule | undefined, now: number): object {
    const { method, path, search, headers, base } = request;
    const grant = this.grantOf(headers);
    const isToken = bearerOf(headers) !== undefined;
    const isElsewhere = place === 'foreign' || (grant?.isRegional === true && place !== 'customer');
    if (!grant || isElsewhere || fault?.kind === 'expired_token') {
      throw isToken ? refusals.badToken() : refusals.badKey();
    }
    if (fault?.kind === 'rate_limited') throw refusals.limited(fault.retryAfter ?? 1);
    const wait = this.allowance.take(now);
    if (wait !== undefined) throw refusals.limited(wait);
    if (fault?.kind === '500' || fault?.kind === 'internal_error') throw refusals.failed();
    if (fault?.kind === 'lock_timeout') throw refusals.unavailable();
    if (fault?.kind === 'refused') throw refusals.forbidden(fault.status, fault.reason);
    const found = routeOf(method, path);
    if (!found) throw refusals.noRoute(path);
    if ('allow' in found) throw refusals.noMethod(found.allow);
    const { route, parts } = found;
    if (grant.scopes && !grant.scopes.has(route.scope)) throw refusals.scope(route.scope);
    return route.answer({
      ...{ world: this.data, grant, now, fault: fault?.kind, search, parts },
      body: method === 'POST' ? bodyOf(request.body) : {},
      pageSize: this.allowance.limits.pageSize ?? 100,
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
  const body = parsed(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw refusals.unreadable();
  return body as Record<string, any>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
