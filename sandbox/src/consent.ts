import { checksumsOf } from './checksums.js';
import type { SandboxClock } from './clock.js';
import { escapeHtml, htmlPage } from './html.js';
import { Random } from './random.js';
import type { VendorReply, VendorRequest } from './vendor.js';

/** Options for a consent page. */
export interface ConsentOptions {
  /** The vendor's name as shown on the page. */
  readonly title: string;
  readonly clients: readonly string[];
  /** Users who can give consent, by label. */
  readonly accounts: Readonly<Record<string, string>>;
  /** Separates scopes in the URL. */
  readonly separator: string;
  /** Whether the vendor knows a scope. */
  readonly isKnownScope: (scope: string) => boolean;
}

/** What a user has consented to. */
export interface AuthorizationGrant {
  readonly client: string;
  readonly account: string;
  /** Separated by spaces. */
  readonly scope: string;
}

interface IssuedCode extends AuthorizationGrant {
  readonly redirect: string;
  readonly challenge: string | null;
  readonly expiresAt: number;
}

/** Issued codes not yet exchanged, as plain JSON. */
export interface ConsentState {
  codes: Record<string, IssuedCode>;
  random: number;
}

/** Initial state. */
export const newConsentState = (seed: number): ConsentState => ({ codes: {}, random: new Random(seed ^ 0xc0de).state });

const codeTtlMs = 10 * 60_000;

/** Why a code is rejected; each vendor has its own wording. */
export type CodeError = 'unknown' | 'foreign_client' | 'other_redirect' | 'wrong_verifier';

interface AuthorizationRequest {
  readonly client: string;
  readonly redirect: string;
  readonly state: string | null;
  readonly scopes: readonly string[];
  readonly challenge: string | null;
}

/** A vendor's consent page, and the codes it issues. */
export class Consent {
  state: ConsentState;
  private readonly clock: SandboxClock;
  private readonly options: ConsentOptions;

  constructor(clock: SandboxClock, seed: number, options: ConsentOptions) {
    this.clock = clock;
    this.options = options;
    this.state = newConsentState(seed);
  }

  /** Shows the page or handles its form. */
  answer(request: VendorRequest): VendorReply {
    const params = request.method === 'POST' ? new URLSearchParams(request.body) : request.search;
    const authorizationRequest = this.parseAuthorizationRequest(params);
    // Never redirect: the URL has not been verified to belong to the application.
    if (typeof authorizationRequest === 'string')
      return htmlPage(400, this.options.title, `<p role="alert">${escapeHtml(authorizationRequest)}</p>`);
    const fault = this.faultOf(params, authorizationRequest);
    if (fault !== undefined) return redirectBack(authorizationRequest, { error: fault });
    if (request.method !== 'POST') return this.show(authorizationRequest, params);
    const account = params.get('account') ?? '';
    if (!Object.hasOwn(this.options.accounts, account))
      return redirectBack(authorizationRequest, { error: 'access_denied' });
    return redirectBack(authorizationRequest, { code: this.issueCode(authorizationRequest, account) });
  }

  /** Redeems a single-use code, which is consumed even on failure. */
  redeem(
    code: string,
    tokenRequest: { client: string; redirect: string; verifier: string | null },
  ): AuthorizationGrant | CodeError {
    const issued = Object.hasOwn(this.state.codes, code) ? this.state.codes[code] : undefined;
    delete this.state.codes[code];
    if (!issued || issued.expiresAt <= this.clock.now()) return 'unknown';
    if (issued.client !== tokenRequest.client) return 'foreign_client';
    if (issued.redirect !== tokenRequest.redirect) return 'other_redirect';
    if (issued.challenge !== null && challengeOf(tokenRequest.verifier ?? '') !== issued.challenge)
      return 'wrong_verifier';
    const { client, account, scope } = issued;
    return { client, account, scope };
  }

  private parseAuthorizationRequest(params: URLSearchParams): AuthorizationRequest | string {
    const client = params.get('client_id') ?? '';
    if (!this.options.clients.includes(client)) return `No application has the client_id '${client}'.`;
    const redirect = params.get('redirect_uri') ?? '';
    if (!isAllowed(redirect)) return 'redirect_uri must be https, or http on this machine, and without a fragment.';
    const scopes = (params.get('scope') ?? '').split(this.options.separator).filter(Boolean);
    return { client, redirect, scopes, state: params.get('state'), challenge: params.get('code_challenge') };
  }

  private faultOf(params: URLSearchParams, { scopes, challenge }: AuthorizationRequest): string | undefined {
    if (params.get('response_type') !== 'code') return 'unsupported_response_type';
    if (scopes.length === 0 || !scopes.every(this.options.isKnownScope)) return 'invalid_scope';
    if (challenge !== null && params.get('code_challenge_method') !== 'S256') return 'invalid_request';
    return undefined;
  }

  private show({ client, scopes }: AuthorizationRequest, params: URLSearchParams): VendorReply {
    const hidden = [...params]
      .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
      .join('');
    const choices = Object.entries(this.options.accounts)
      .map(
        ([label, name]) => `<button name="account" value="${escapeHtml(label)}">Allow as ${escapeHtml(name)}</button>`,
      )
      .join('\n');
    return htmlPage(
      200,
      this.options.title,
      `<p>The application <code>${escapeHtml(client)}</code> asks for:</p>
<ul>${scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('')}</ul>
<form method="post" action="?">${hidden}
${choices}
<button name="account" value="">Deny</button></form>`,
    );
  }

  private issueCode({ client, redirect, challenge, scopes }: AuthorizationRequest, account: string): string {
    const random = new Random(this.state.random);
    const code = `${random.uuid()}${random.uuid()}`.replaceAll('-', '');
    this.state.random = random.state;
    const expiresAt = this.clock.now() + codeTtlMs;
    this.state.codes[code] = { client, redirect, challenge, account, scope: scopes.join(' '), expiresAt };
    return code;
  }
}

/** The S256 challenge of a verifier. */
function challengeOf(verifier: string): string {
  const { sha256 } = checksumsOf(new TextEncoder().encode(verifier));
  const bytes = sha256.match(/../g)!.map((pair) => Number.parseInt(pair, 16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

function isAllowed(redirect: string): boolean {
  if (!URL.canParse(redirect)) return false;
  const { protocol, hostname, hash } = new URL(redirect);
  const local = protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return hash === '' && (protocol === 'https:' || local);
}

function redirectBack(
  { redirect, state }: AuthorizationRequest,
  outcome: Readonly<Record<string, string>>,
): VendorReply {
  const url = new URL(redirect);
  for (const [name, value] of Object.entries({ ...outcome, ...(state !== null && { state }) })) {
    url.searchParams.set(name, value);
  }
  return { status: 302, headers: { location: url.href, 'cache-control': 'no-store' }, body: '' };
}
