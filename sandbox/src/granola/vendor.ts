import { bearerOf } from '../authorization.js';
import type { FaultRule } from '../faults.js';
import { Random } from '../random.js';
import type { RequestNotes, Vendor, VendorContext, VendorInstance, VendorReply, VendorRequest } from '../vendor.js';
import { type GranolaCredentials, type Grant, granolaCredentials, grants } from './credentials.js';
import {
  GranolaApiError,
  inactiveSubscription,
  injectedError,
  internalError,
  methodNotAllowed,
  missingScope,
  notFound,
  rateLimited,
  refusals,
  unauthorized,
  unavailable,
} from './errors.js';
import { type GranolaLimits, RateLimiter } from './rate-limiter.js';
import { read } from './read.js';
import type { NoteRow, Workspace } from './rows.js';
import { seedWorkspace } from './seed/workspace.js';

/** Public interface of the Granola emulation. */
export interface GranolaHandle {
  /** Base path of the vendor's API on a sandbox server. */
  path: '/granola';
  /** Accepted credentials, by purpose. */
  credentials: GranolaCredentials;
  /** Overrides the documented limits of every key. */
  limits: GranolaLimits;
  /** Reasons of the fault `refused`. */
  refusals: readonly string[];
  /** Renames a note, as its owner could in the app. */
  rename(id: string, title: string): void;
  /** Deletes a note, as its owner could in the app. */
  remove(id: string): void;
}

/** Changes to a note since seeding. */
type Edit = Partial<Pick<NoteRow, 'meeting' | 'updated' | 'isDeleted'>>;

type SeedOptions = Pick<VendorContext, 'seed' | 'scale' | 'start'>;

interface GranolaDump {
  /** Seed options for the generated notes; only later changes are stored. */
  world: SeedOptions;
  edits: Record<string, Edit>;
  revoked: string[];
  limits: GranolaLimits;
  taken: RateLimiter['taken'];
  random: number;
}

/** Granola's public API, at https://public-api.granola.ai. */
export const granola: Vendor<GranolaHandle> = {
  origins: ['https://public-api.granola.ai'],
  create: (context) => new Granola(context),
};

class Granola implements VendorInstance<GranolaHandle> {
  readonly handle: GranolaHandle;
  private readonly context: VendorContext;
  private seedOptions: SeedOptions;
  private cachedWorkspace: Workspace | undefined;
  private edits: Record<string, Edit> = {};
  private rateLimiter = new RateLimiter();
  private revoked = new Set<string>();
  private random: Random;

  constructor(context: VendorContext) {
    this.context = context;
    const { seed, scale, start } = context;
    this.seedOptions = { seed, scale, start };
    this.random = new Random(seed);
    const vendor = this;
    this.handle = {
      path: '/granola',
      credentials: structuredClone(granolaCredentials),
      refusals: Object.keys(refusals),
      get limits() {
        return vendor.rateLimiter.limits;
      },
      set limits(limits) {
        vendor.rateLimiter.limits = { ...limits };
      },
      rename: (id, title) => vendor.edit(id, ({ meeting }) => ({ meeting: { ...meeting, title } })),
      remove: (id) => vendor.edit(id, () => ({ isDeleted: true })),
    };
  }

  notes({ headers }: VendorRequest): RequestNotes {
    const key = bearerOf(headers) ?? '';
    const credential = headers.has('authorization') ? (grants.get(key)?.label ?? 'unknown') : 'none';
    return { credential, body: null };
  }

  answer(request: VendorRequest, fault: FaultRule | undefined): VendorReply {
    const now = this.context.clock.now();
    try {
      return json(200, this.reply(request, fault, now));
    } catch (error) {
      if (!(error instanceof GranolaApiError)) throw error;
      const { status, code, message, headers } = error;
      const body = { code, message, requestId: this.random.uuid(), timestamp: new Date(now).toISOString() };
      return json(status, body, headers);
    }
  }

  /** Granola's keys do not expire, and it issues no tokens. */
  expireTokens(): void {}

  revoke(secret: string): void {
    this.revoked.add(secret);
  }

  reset(): void {
    const { seed, scale, start } = this.context;
    this.seedOptions = { seed, scale, start };
    this.cachedWorkspace = undefined;
    this.edits = {};
    this.rateLimiter = new RateLimiter();
    this.revoked = new Set();
    this.random = new Random(seed);
  }

  dump(): GranolaDump {
    const { limits, taken } = this.rateLimiter;
    return structuredClone({
      world: this.seedOptions,
      edits: this.edits,
      revoked: [...this.revoked],
      limits,
      taken,
      random: this.random.state,
    });
  }

  load(state: unknown): void {
    const dump = structuredClone(state) as GranolaDump;
    this.reset();
    this.seedOptions = dump.world;
    this.edits = dump.edits ?? {};
    this.revoked = new Set(dump.revoked);
    this.rateLimiter.limits = dump.limits;
    this.rateLimiter.taken = dump.taken;
    this.random.state = dump.random;
  }

  private get workspace(): Workspace {
    if (!this.cachedWorkspace) {
      this.cachedWorkspace = seedWorkspace(this.seedOptions);
      for (const note of this.cachedWorkspace.notes) Object.assign(note, this.edits[note.id]);
    }
    return this.cachedWorkspace;
  }

  private edit(id: string, change: (note: NoteRow) => Edit): void {
    const note = this.workspace.notes.find((one) => one.id === id);
    if (!note) throw new RangeError(`note ${id} does not exist`);
    this.edits[id] = { ...this.edits[id], ...change(note), updated: this.context.clock.now() };
    Object.assign(note, this.edits[id]);
  }

  private reply(request: VendorRequest, fault: FaultRule | undefined, now: number): unknown {
    const grant = this.grantOf(request.headers);
    if (!grant || fault?.kind === 'expired_token') throw unauthorized();
    if (fault?.kind === 'rate_limited') throw rateLimited(fault.retryAfter);
    if (!this.rateLimiter.take(grant.owner, now)) throw rateLimited();
    if (fault?.kind === '500' || fault?.kind === 'internal_error') throw internalError();
    if (fault?.kind === 'lock_timeout') throw unavailable();
    if (fault?.kind === 'refused') throw injectedError(fault.status, fault.reason);
    if (!grant.isActive) throw inactiveSubscription();
    if (!grant.seesPersonal && !grant.seesPublic) throw missingScope();
    if (request.method !== 'GET') throw methodNotAllowed();
    const answer = read(request, { workspace: this.workspace, grant, now, fault: fault?.kind });
    if (answer === undefined) throw notFound('Route');
    return answer;
  }

  private grantOf(headers: Headers): Grant | undefined {
    const key = bearerOf(headers) ?? '';
    return this.revoked.has(key) ? undefined : grants.get(key);
  }
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): VendorReply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}
