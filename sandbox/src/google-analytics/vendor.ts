import type { FaultRule } from '../faults.js';
import { tokensOf } from '../google/accounts.js';
import {
  type GoogleAnalyticsCredentials,
  googleAnalyticsCredentials,
  projects,
} from '../google/analytics-credentials.js';
import { notFoundPage } from '../google/http.js';
import { scopesOf } from '../google/scopes.js';
import { bearerOf, type GoogleTokens, type TokenGrant, type TokenState } from '../google/token.js';
import type { RequestNotes, Vendor, VendorContext, VendorInstance, VendorReply, VendorRequest } from '../vendor.js';
import { localTime } from './dates.js';
import { AnalyticsApiError, apiErrors, json, services } from './errors.js';
import { type Method, matchMethod } from './methods.js';
import { accountSummaries, type Property, properties, propertyIds } from './properties.js';
import { type GoogleAnalyticsLimits, isQuotaName, QuotaLedger, quotaError, quotaNames } from './quota.js';
import { rejectUnknownParameters } from './request/shape.js';
import { VisitStream } from './visits/stream.js';

/** Public interface of the Google Analytics emulation. */
export interface GoogleAnalyticsHandle {
  /** Base path of the vendor's API on a sandbox server. */
  path: '/google-analytics';
  /** Accepted credentials, by purpose. */
  credentials: GoogleAnalyticsCredentials;
  /** Ids of the properties. */
  properties: typeof propertyIds;
  /** Overrides the quotas of every property. */
  limits: GoogleAnalyticsLimits;
  /** Reasons of the fault `refused`. */
  refusals: readonly string[];
}

type SeedOptions = Pick<VendorContext, 'seed' | 'scale' | 'start'>;

interface GoogleAnalyticsDump {
  /** Seed options for the generated visits, which are read-only and therefore not stored. */
  world: SeedOptions;
  tokens: TokenState;
  limits: GoogleAnalyticsLimits;
  charges: QuotaLedger['charges'];
}

/** The Google Analytics Data API, at https://analyticsdata.googleapis.com. */
export const googleAnalytics: Vendor<GoogleAnalyticsHandle> = {
  origins: ['https://analyticsdata.googleapis.com', 'https://analyticsadmin.googleapis.com'],
  create: (context) => new GoogleAnalytics(context),
};

class GoogleAnalytics implements VendorInstance<GoogleAnalyticsHandle> {
  readonly handle: GoogleAnalyticsHandle;
  private readonly context: VendorContext;
  private readonly tokens: GoogleTokens;
  private seedOptions: SeedOptions;
  private ledger = new QuotaLedger();
  private streams = new Map<string, VisitStream>();

  constructor(context: VendorContext) {
    this.context = context;
    this.seedOptions = seedOptionsOf(context);
    this.tokens = tokensOf(context);
    const vendor = this;
    this.handle = {
      path: '/google-analytics',
      credentials: structuredClone(googleAnalyticsCredentials),
      refusals: [...Object.keys(refusals), ...quotaNames],
      properties: { ...propertyIds },
      get limits() {
        return vendor.ledger.limits;
      },
      set limits(limits) {
        vendor.ledger.limits = { ...limits };
      },
    };
  }

  notes(request: VendorRequest): RequestNotes {
    return this.tokens.notes(request, loggableBody);
  }

  answer(request: VendorRequest, fault: FaultRule | undefined): VendorReply | Promise<VendorReply> {
    const tokenReply = this.tokens.answer(request, fault);
    if (tokenReply) return tokenReply;
    const { path, method, search } = request;
    const isAdmin = method === 'GET' && path === '/v1beta/accountSummaries';
    const match = matchMethod(method, path);
    if (!match && !isAdmin) return notFoundPage(path);
    const isPretty = search.get('prettyPrint') !== 'false';
    try {
      if (!match) {
        const grant = this.grantOf(request.headers, 'ListAccountSummaries', fault);
        if (fault?.kind === 'refused' && fault.reason === 'SERVICE_DISABLED') {
          throw apiErrors.disabled(grant.project, services.admin);
        }
        return json(200, accountSummaries(grant.account, search), isPretty);
      }
      return json(200, this.execute(request, match, fault), isPretty);
    } catch (error) {
      if (error instanceof AnalyticsApiError) return error.toReply(isPretty);
      throw error;
    }
  }

  expireTokens(): void {
    this.tokens.expireTokens();
  }

  revoke(secret: string): void {
    this.tokens.revoke(secret);
  }

  reset(): void {
    this.seedOptions = seedOptionsOf(this.context);
    this.tokens.reset();
    this.ledger = new QuotaLedger();
    this.streams = new Map();
  }

  dump(): GoogleAnalyticsDump {
    const { limits, charges } = this.ledger;
    return structuredClone({ world: this.seedOptions, tokens: this.tokens.state, limits, charges });
  }

  load(state: unknown): void {
    const { world, tokens, limits, charges } = structuredClone(state) as GoogleAnalyticsDump;
    this.reset();
    this.seedOptions = world;
    this.tokens.state = tokens;
    this.ledger.limits = limits;
    this.ledger.charges = charges;
  }

  private execute(request: VendorRequest, match: { method: Method; property: string }, fault: FaultRule | undefined) {
    const { method, property: id } = match;
    const grant = this.grantOf(request.headers, method.name, fault);
    if (fault?.kind === 'refused') throw injectedError(fault, method.name, grant);
    rejectUnknownParameters(request.search);
    const body = method.read(request.body);
    if (!/^\d+$/.test(id)) throw apiErrors.propertyId(id);
    if (id === '0' && method.name === 'GetMetadata') return method.answer(body, undefined);
    const property = properties.get(id);
    if (!property?.viewers.includes(grant.account)) throw apiErrors.permission();
    const now = this.context.clock.now();
    this.throwInjectedFault(fault, property, grant.project, now);
    const { ledger } = this;
    return method.answer(body, {
      property,
      ledger,
      now,
      project: grant.project,
      localNow: localTime(now, property.timeZone),
      stream: (day) => this.streamOf(property, day),
    });
  }

  private grantOf(headers: Headers, method: string, fault: FaultRule | undefined): TokenGrant {
    const token = bearerOf(headers);
    if (token === undefined) throw apiErrors.noToken(method);
    const grant = this.tokens.grant(token);
    if (!grant || fault?.kind === 'expired_token') throw apiErrors.badToken();
    const service = method === 'ListAccountSummaries' ? services.admin : services.data;
    if (grant.project === projects.disabled) throw apiErrors.disabled(grant.project, service);
    const scopes = scopesOf(grant.scope);
    if (!scopes.has('analytics.readonly') && !scopes.has('analytics')) throw apiErrors.scope(method);
    return grant;
  }

  /** Server errors are counted while the fault lasts. */
  private throwInjectedFault(fault: FaultRule | undefined, property: Property, project: string, now: number): void {
    if (fault?.kind === 'rate_limited') throw quotaError(fault.reason, fault.retryAfter);
    if (fault?.kind !== '500' && fault?.kind !== 'internal_error' && fault?.kind !== 'lock_timeout') return;
    this.ledger.check(property.id, project, now, false);
    this.ledger.charge('errors', property.id, project, now);
    throw fault.kind === 'lock_timeout' ? apiErrors.unavailable() : apiErrors.internal();
  }

  private streamOf(property: Property, day: number): VisitStream {
    let stream = this.streams.get(property.id);
    if (!stream) {
      const { seed, scale, start } = this.seedOptions;
      stream = new VisitStream(property, { seed, scale, startDay: localTime(start, property.timeZone).day });
      this.streams.set(property.id, stream);
    }
    stream.extendTo(day);
    return stream;
  }
}

function seedOptionsOf({ seed, scale, start }: SeedOptions): SeedOptions {
  return { seed, scale, start };
}

/** Errors by the reason of the fault `refused`; a quota's name is also one. */
const refusals: Readonly<Record<string, (method: string, project: string) => AnalyticsApiError>> = {
  SERVICE_DISABLED: (_, project) => apiErrors.disabled(project),
  ACCESS_TOKEN_SCOPE_INSUFFICIENT: (method) => apiErrors.scope(method),
  insufficientPermissions: () => apiErrors.oldScope(),
  requestsPerMinute: () => apiErrors.perMinute(),
};

function injectedError({ reason = '', retryAfter }: FaultRule, method: string, { project }: TokenGrant) {
  if (isQuotaName(reason)) return quotaError(reason, retryAfter);
  return refusals[reason]?.(method, project) ?? apiErrors.permission();
}

function loggableBody({ body }: VendorRequest): unknown {
  if (body === '') return null;
  try {
    return JSON.parse(body);
  } catch {
    return '<unreadable>';
  }
}
