import { bearerOf } from '../authorization.js';
import { people } from '../company.js';
import type { FaultRule } from '../faults.js';
import { safeFields } from '../requests.js';
import { seedOnce } from '../seed-once.js';
import type { RequestNotes, Vendor, VendorContext, VendorInstance, VendorReply, VendorRequest } from '../vendor.js';
import { Buckets, type LinearLimits } from './buckets.js';
import type { LinearContext } from './context.js';
import { type Grant, keyGrants, type LinearCredentials, linearCredentials } from './credentials.js';
import { compile } from './document.js';
import { refusals } from './errors.js';
import { answerGraphQL, type GraphQLBody, readBody } from './graphql.js';
import { OAuth } from './oauth.js';
import { seedWorkspace } from './seed/workspace.js';
import { Workspace, type WorkspaceDump } from './state.js';
import { Views } from './views.js';

/** Public interface of the Linear emulation. */
export interface LinearHandle {
  /** Base path of the vendor's API on a sandbox server. */
  path: '/linear';
  /** Accepted credentials, by purpose. */
  credentials: LinearCredentials;
  /** Overrides the documented limits of every credential. */
  limits: LinearLimits;
  /** Reasons of the fault `refused`. */
  refusals: readonly string[];
}

interface LinearDump {
  workspace: WorkspaceDump;
  oauth: OAuth['state'];
  revoked: string[];
  limits: LinearLimits;
  levels: Buckets['levels'];
}

const workspaceOf = seedOnce(seedWorkspace, (workspace) => workspace.copy());

/** Linear, at https://api.linear.app. */
export const linear: Vendor<LinearHandle> = {
  origins: ['https://api.linear.app', 'https://linear.app/oauth'],
  create: (context) => new Linear(context),
};

class Linear implements VendorInstance<LinearHandle> {
  readonly handle: LinearHandle;
  private readonly context: VendorContext;
  private cachedWorkspace: Workspace | undefined;
  private views = new Views();
  private oauth: OAuth;
  private buckets = new Buckets();
  private revoked = new Set<string>();
  private readonly bodies = new WeakMap<VendorRequest, GraphQLBody | string>();

  constructor(context: VendorContext) {
    this.context = context;
    this.oauth = new OAuth(context.clock, context.seed);
    const vendor = this;
    this.handle = {
      path: '/linear',
      credentials: structuredClone(linearCredentials),
      refusals: Object.keys(refusals),
      get limits() {
        return vendor.buckets.limits;
      },
      set limits(limits) {
        vendor.buckets.limits = { ...limits };
      },
    };
  }

  notes(request: VendorRequest): RequestNotes {
    const credential = this.labelOf(request.headers);
    if (request.path !== '/graphql') return { credential, body: safeFields(new URLSearchParams(request.body)) };
    const body = this.bodyOf(request);
    if (typeof body === 'string') return { credential, body: request.body === '' ? null : '<unreadable>' };
    const rootField = compile(body.query).operation(body.operationName)?.rootField;
    return { credential, body, rootField };
  }

  answer(request: VendorRequest, fault: FaultRule | undefined): VendorReply {
    const { path, method } = request;
    if (path === '/oauth/authorize') return this.oauth.answerConsent(request);
    if (!['/graphql', '/oauth/token', '/oauth/revoke'].includes(path))
      return plainTextReply(404, `Cannot ${method} ${path}`);
    if (method !== 'POST') return { ...plainTextReply(405, 'Method Not Allowed'), headers: { allow: 'POST' } };
    if (path.startsWith('/oauth/')) return this.oauth.answer(request, fault);
    return answerGraphQL(request, this.bodyOf(request), {
      grant: this.grantOf(request.headers),
      buckets: this.buckets,
      now: this.context.clock.now(),
      fault,
      context: (grant) => this.contextOf(grant, fault),
    });
  }

  expireTokens(): void {
    this.oauth.expireTokens();
  }

  revoke(secret: string): void {
    this.oauth.revoke(secret);
    this.revoked.add(secret);
  }

  reset(): void {
    this.cachedWorkspace = undefined;
    this.views = new Views();
    this.oauth = new OAuth(this.context.clock, this.context.seed);
    this.buckets = new Buckets();
    this.revoked = new Set();
  }

  dump(): LinearDump {
    const { limits, levels } = this.buckets;
    return structuredClone({
      workspace: this.workspace.dump(),
      oauth: this.oauth.state,
      revoked: [...this.revoked],
      limits,
      levels,
    });
  }

  load(state: unknown): void {
    const dump = structuredClone(state) as LinearDump;
    this.reset();
    this.cachedWorkspace = Workspace.load(dump.workspace);
    this.oauth.state = dump.oauth;
    this.buckets.limits = dump.limits;
    this.buckets.levels = dump.levels;
    this.revoked = new Set(dump.revoked);
  }

  private get workspace(): Workspace {
    this.cachedWorkspace ??= workspaceOf(this.context);
    return this.cachedWorkspace;
  }

  private bodyOf(request: VendorRequest): GraphQLBody | string {
    const body = this.bodies.get(request) ?? readBody(request.body);
    this.bodies.set(request, body);
    return body;
  }

  private grantOf(headers: Headers): Grant | undefined {
    const authorization = headers.get('authorization') ?? '';
    const bearer = bearerOf(headers);
    const secret = bearer ?? authorization;
    if (this.revoked.has(secret)) return undefined;
    return bearer ? this.oauth.grant(bearer) : keyGrants.get(authorization);
  }

  private labelOf(headers: Headers): string {
    const authorization = headers.get('authorization');
    if (!authorization) return 'none';
    const key = authorization.replace(/^Bearer /i, '');
    return this.grantOf(headers)?.label ?? keyGrants.get(key)?.label ?? 'unknown';
  }

  private contextOf(grant: Grant, fault: FaultRule | undefined): LinearContext {
    const { workspace, views } = this;
    const email = people.find(({ key }) => key === grant.person)?.email;
    const viewer = workspace.users.all().find((user) => user.email === email)!;
    const teams = workspace.teams.all().filter((team) => grant.teamKeys?.includes(team.key));
    const teamIds = grant.teamKeys && new Set(teams.map((team) => team.id));
    return {
      workspace,
      views,
      viewer,
      mayWrite: grant.mayWrite,
      teamIds,
      now: this.context.clock.now(),
      limits: this.buckets.limits,
      fault: fault?.kind,
    };
  }
}

function plainTextReply(status: number, body: string): VendorReply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}
