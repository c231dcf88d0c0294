import type { FaultRule } from '../faults.js';
import { Random } from '../random.js';
import type { RequestNotes, Vendor, VendorContext, VendorInstance, VendorReply, VendorRequest } from '../vendor.js';
import { Allowance, type GranolaLimits } from './allowance.js';
import { type GranolaCredentials, type Grant, granolaCredentials, grants } from './credentials.js';
import { read } from './read.js';
import {
  inactiveSubscription,
  internalError,
  noScope,
  notAllowed,
  notFound,
  Refusal,
  rateLimited,
  refused,
  unauthorized,
  unavailable,
} from './refusals.js';
import type { NoteRow, Workspace } from './rows.js';
import { seedWorkspace } from './seed/workspace.js';

/** What users of the sandbox see of Granola. */
export interface GranolaHandle {
  /** Where the vendor lies below the address of a server. */
  path: '/granola';
  /** Credentials that the vendor takes, by what they may do. */
  credentials: GranolaCredentials;
  /** Overrides the documented limits of every key. */
  limits: GranolaLimits;
  /** Renames a note, as its owner would in the application. */
  rename(id: string, title: string): void;
  /** Deletes a note, as its owner would in the application. */
  remove(id: string): void;
}

/** What was done to a note since the seed. */
type Edit = Partial<Pick<NoteRow, 'meeting' | 'updated' | 'isDeleted'>>;

type World = Pick<VendorContext, 'seed' | 'scale' | 'start'>;

interface GranolaDump {
  /** What the notes are told from: only what was done to them since needs keeping. */
  world: World;
  edits: Record<string, Edit>;
  revoked: string[];
  limits: GranolaLimits;
  taken: Allowance['taken'];
  random: number;
}

/** Granola's public API, at https://public-api.granola.ai. */
export const granola: Vendor<GranolaHandle> = {
  origins: ['https://public-api.granola.ai'],
  create: (context) => new Granola(context),
};

class Granola implements VendorInstance<GranolaHandle> {
  readonly handle: GranolaHandle;
  private readonly given: VendorContext;
  private world: World;
  private built: Workspace | undefined;
  private edits: Record<string, Edit> = {};
  private allowance = new Allowance();
  private revoked = new Set<string>();
  private random: Random;

  constructor(given: VendorContext) {
    this.given = given;
    const { seed, scale, start } = given;
    this.world = { seed, scale, start };
    this.random = new Random(seed);
    const vendor = this;
    this.handle = {
      path: '/granola',
      credentials: structuredClone(granolaCredentials),
      get limits() {
        return vendor.allowance.limits;
      },
      set limits(limits) {
        vendor.allowance.limits = { ...limits };
      },
      rename: (id, title) => vendor.edit(id, ({ meeting }) => ({ meeting: { ...meeting, title } })),
      remove: (id) => vendor.edit(id, () => ({ isDeleted: true })),
    };
  }

  notes({ headers }: VendorRequest): RequestNotes {
    const key = keyIn(headers);
    const credential = headers.has('authorization') ? (grants.get(key)?.label ?? 'unknown') : 'none';
    return { credential, body: null };
  }

  answer(request: VendorRequest, fault: FaultRule | undefined): VendorReply {
    const now = this.given.clock.now();
    try {
      return json(200, this.reply(request, fault, now));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message, headers } = error;
      const body = { code, message, requestId: this.random.uuid(), timestamp: new Date(now).toISOString() };
      return json(status, body, headers);
    }
  }

  /** Granola's keys do not expire, and it gives out no tokens. */
  expireTokens(): void {}

  revoke(secret: string): void {
    this.revoked.add(secret);
  }

  reset(): void {
    const { seed, scale, start } = this.given;
    this.world = { seed, scale, start };
    this.built = undefined;
    this.edits = {};
    this.allowance = new Allowance();
    this.revoked = new Set();
    this.random = new Random(seed);
  }

  dump(): GranolaDump {
    const { limits, taken } = this.allowance;
    return structuredClone({
      world: this.world,
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
    this.world = dump.world;
    this.edits = dump.edits ?? {};
    this.revoked = new Set(dump.revoked);
    this.allowance.limits = dump.limits;
    this.allowance.taken = dump.taken;
    this.random.state = dump.random;
  }

  private get workspace(): Workspace {
    if (!this.built) {
      this.built = seedWorkspace(this.world);
      for (const note of this.built.notes) Object.assign(note, this.edits[note.id]);
    }
    return this.built;
  }

  private edit(id: string, change: (note: NoteRow) => Edit): void {
    const note = this.workspace.notes.find((one) => one.id === id);
    if (!note) throw new RangeError(`there is no note ${id}`);
    this.edits[id] = { ...this.edits[id], ...change(note), updated: this.given.clock.now() };
    Object.assign(note, this.edits[id]);
  }

  private reply(request: VendorRequest, fault: FaultRule | undefined, now: number): unknown {
    const grant = this.grantOf(request.headers);
    if (!grant || fault?.kind === 'expired_token') throw unauthorized();
    if (fault?.kind === 'rate_limited') throw rateLimited(fault.retryAfter);
    if (!this.allowance.take(grant.owner, now)) throw rateLimited();
    if (fault?.kind === '500' || fault?.kind === 'internal_error') throw internalError();
    if (fault?.kind === 'lock_timeout') throw unavailable();
    if (fault?.kind === 'refused') throw refused(fault.status, fault.reason);
    if (!grant.isActive) throw inactiveSubscription();
    if (!grant.seesPersonal && !grant.seesPublic) throw noScope();
    if (request.method !== 'GET') throw notAllowed();
    const answer = read(request, { workspace: this.workspace, grant, now, fault: fault?.kind });
    if (answer === undefined) throw notFound('Route');
    return answer;
  }

  private grantOf(headers: Headers): Grant | undefined {
    const key = keyIn(headers);
    return this.revoked.has(key) ? undefined : grants.get(key);
  }
}

function keyIn(headers: Headers): string {
  return /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '';
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): VendorReply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}
