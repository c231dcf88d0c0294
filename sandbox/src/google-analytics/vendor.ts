import type { FaultRule } from '../faults.js';
import { tokensOf } from '../google/accounts.js';
import { scopesOf } from '../google/scopes.js';
import { bearerOf, consentPath, type Given, type GoogleTokens, notedToken, type TokenState } from '../google/token.js';
import { notAnAddress } from '../google-drive/refusals.js';
import type { RequestNotes, Vendor, VendorContext, VendorInstance, VendorReply, VendorRequest } from '../vendor.js';
import { accountSummaries } from './accounts.js';
import { type GoogleAnalyticsCredentials, googleAnalyticsCredentials, projects } from './credentials.js';
import { localTime } from './dates.js';
import { type Method, methodOf } from './methods.js';
import { type Property, properties, propertyIds } from './properties.js';
import { exhausted, type GoogleAnalyticsLimits, QuotaLedger } from './quota.js';
import { AnalyticsRefusal, json, refusals } from './refusals.js';
import { refuseUnknownParameters } from './request/parameters.js';
import { VisitStream } from './visits/stream.js';

/** What users of the sandbox see of Google Analytics. */
export interface GoogleAnalyticsHandle {
  /** Where the vendor lies below the address of a server. */
  path: '/google-analytics';
  /** Credentials that the vendor takes, by what they may do. */
  credentials: GoogleAnalyticsCredentials;
  /** The ids of the properties that exist. */
  properties: typeof propertyIds;
  /** Overrides the quotas of every property. */
  limits: GoogleAnalyticsLimits;
}

type Beginning = Pick<VendorContext, 'seed' | 'scale' | 'start'>;

interface GoogleAnalyticsDump {
  /** What the visits are told from: nothing can be written, so they need no keeping. */
  world: Beginning;
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
  private readonly given: VendorContext;
  private readonly tokens: GoogleTokens;
  private world: Beginning;
  private ledger = new QuotaLedger();
  private streams = new Map<string, VisitStream>();

  constructor(given: VendorContext) {
    this.given = given;
    this.world = beginningOf(given);
    this.tokens = tokensOf(given);
    const vendor = this;
    this.handle = {
      path: '/google-analytics',
      credentials: structuredClone(googleAnalyticsCredentials),
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
    if ([consentPath, '/token', '/revoke'].includes(request.path)) {
      return { credential: 'none', body: notedToken(request) };
    }
    const token = bearerOf(request.headers);
    const credential = token === undefined ? 'none' : (this.tokens.grant(token)?.label ?? 'unknown');
    return { credential, body: noted(request) };
  }

  answer(request: VendorRequest, fault: FaultRule | undefined): VendorReply | Promise<VendorReply> {
    const { path, method, search } = request;
    if (path === consentPath) return this.tokens.answerConsent(request);
    if (path === '/revoke' && method === 'POST') return this.tokens.answerRevoke(request);
    if (path === '/token') return method === 'POST' ? this.tokens.answer(request, fault) : notAnAddress(path);
    const isAdmin = method === 'GET' && path === '/v1beta/accountSummaries';
    const found = methodOf(method, path);
    if (!found && !isAdmin) return notAnAddress(path);
    const isPretty = search.get('prettyPrint') !== 'false';
    try {
      if (!found) {
        const grant = this.grantOf(request.headers, 'ListAccountSummaries', fault);
        return json(200, accountSummaries(grant.account, search), isPretty);
      }
      return json(200, this.carryOut(request, found, fault), isPretty);
    } catch (error) {
      if (error instanceof AnalyticsRefusal) return error.reply(isPretty);
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
    this.world = beginningOf(this.given);
    this.tokens.reset();
    this.ledger = new QuotaLedger();
    this.streams = new Map();
  }

  dump(): GoogleAnalyticsDump {
    const { limits, charges } = this.ledger;
    return structuredClone({ world: this.world, tokens: this.tokens.state, limits, charges });
  }

  load(state: unknown): void {
    const { world, tokens, limits, charges } = structuredClone(state) as GoogleAnalyticsDump;
    this.reset();
    this.world = world;
    this.tokens.state = tokens;
    this.ledger.limits = limits;
    this.ledger.charges = charges;
  }

  private carryOut(request: VendorRequest, found: { method: Method; property: string }, fault: FaultRule | undefined) {
    const { method, property: id } = found;
    const grant = this.grantOf(request.headers, method.name, fault);
    if (fault?.kind === 'refused') throw refusedAsTold(fault, method.name, grant);
    refuseUnknownParameters(request.search);
    const body = method.read(request.body);
    if (!/^\d+$/.test(id)) throw refusals.propertyId(id);
    if (id === '0' && method.name === 'GetMetadata') return method.answer(body, undefined);
    const property = properties.get(id);
    if (!property?.viewers.includes(grant.account)) throw refusals.permission();
    const now = this.given.clock.now();
    this.refuseAsTold(fault, property, grant.project, now);
    const { ledger } = this;
    return method.answer(body, {
      ...{ property, ledger, now, project: grant.project },
      until: localTime(now, property.timeZone),
      stream: (day) => this.streamOf(property, day),
    });
  }

  private grantOf(headers: Headers, method: string, fault: FaultRule | undefined): Given {
    const token = bearerOf(headers);
    if (token === undefined) throw refusals.noToken(method);
    const grant = this.tokens.grant(token);
    if (!grant || fault?.kind === 'expired_token') throw refusals.badToken();
    if (grant.project === projects.disabled) throw refusals.disabled(grant.project);
    const scopes = scopesOf(grant.scope);
    if (!scopes.has('analytics.readonly') && !scopes.has('analytics')) throw refusals.scope(method);
    return grant;
  }

  /** Failures of the service itself are counted, as long as it is the service that fails. */
  private refuseAsTold(fault: FaultRule | undefined, property: Property, project: string, now: number): void {
    if (fault?.kind === 'rate_limited') throw exhausted(fault.reason, fault.retryAfter);
    if (fault?.kind !== '500' && fault?.kind !== 'internal_error' && fault?.kind !== 'lock_timeout') return;
    this.ledger.check(property.id, project, now, false);
    this.ledger.charge('errors', property.id, project, now);
    throw fault.kind === 'lock_timeout' ? refusals.unavailable() : refusals.internal();
  }

  private streamOf(property: Property, day: number): VisitStream {
    let stream = this.streams.get(property.id);
    if (!stream) {
      const { seed, scale, start } = this.world;
      stream = new VisitStream(property, { seed, scale, startDay: localTime(start, property.timeZone).day });
      this.streams.set(property.id, stream);
    }
    stream.extendTo(day);
    return stream;
  }
}

function beginningOf({ seed, scale, start }: Beginning): Beginning {
  return { seed, scale, start };
}

function refusedAsTold({ reason }: FaultRule, method: string, { project }: Given): AnalyticsRefusal {
  if (reason === 'SERVICE_DISABLED') return refusals.disabled(project);
  return reason === 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' ? refusals.scope(method) : refusals.permission();
}

function noted({ body }: VendorRequest): unknown {
  if (body === '') return null;
  try {
    return JSON.parse(body);
  } catch {
    return '<unreadable>';
  }
}
