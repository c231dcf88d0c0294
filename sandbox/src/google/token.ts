import type { SandboxClock } from '../clock.js';
import { Consent, type ConsentState, newConsentState } from '../consent.js';
import type { FaultRule } from '../faults.js';
import { Random } from '../random.js';
import { safeFields } from '../requests.js';
import type { RequestNotes, VendorReply, VendorRequest } from '../vendor.js';
import { claimsErrorOf, hasValidSignature, parseAssertion } from './assertion.js';
import { errorReply, jsonReply, notFoundPage, parseBasicClient, parseForm } from './http.js';
import { knownScopes, scopesOf } from './scopes.js';
import { keyFile, type ServiceAccount } from './service-account.js';

/** The account and scopes of a token. */
export interface TokenGrant {
  label: string;
  scope: string;
  /** Email address of the person or service account. */
  account: string;
  /** Number of the project that requests count toward. */
  project: string;
}

type UserGrant = Omit<TokenGrant, 'project'>;

/** An OAuth client and what its users have authorized. */
export interface GoogleClient {
  client_id: string;
  client_secret: string;
  project: string;
  refreshTokens: Readonly<Record<string, UserGrant>>;
  /** Access tokens valid from the start. */
  accessTokens: Readonly<Record<string, UserGrant>>;
}

/** All clients and accounts known to the token endpoint. */
export interface TokenDirectory {
  clients: readonly GoogleClient[];
  serviceAccounts: readonly ServiceAccount[];
}

interface AccessToken extends TokenGrant {
  expiresAt: number;
}

/** Issued tokens as plain JSON. */
export interface TokenState {
  access: Record<string, AccessToken>;
  /** Refresh tokens authorized in a browser, with their client. */
  agreed: Record<string, UserGrant & { client: string }>;
  consent: ConsentState;
  revoked: string[];
  random: number;
}

/** Path of the consent page on https://accounts.google.com. */
const consentPath = '/o/oauth2/v2/auth';

const tokenTtlSeconds = 3599;
const assertionGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Google's token endpoint and its tokens. */
export class GoogleTokens {
  state: TokenState;
  private readonly clock: SandboxClock;
  private readonly seed: number;
  private readonly directory: TokenDirectory;
  private readonly consent: Consent;

  constructor(clock: SandboxClock, seed: number, directory: TokenDirectory) {
    this.clock = clock;
    this.seed = seed;
    this.directory = directory;
    const people = new Set(
      directory.clients.flatMap(({ refreshTokens }) => Object.values(refreshTokens).map(({ account }) => account)),
    );
    this.consent = new Consent(clock, seed, {
      title: 'Google',
      clients: directory.clients.map(({ client_id }) => client_id),
      accounts: Object.fromEntries([...people].map((account) => [account, account])),
      separator: ' ',
      isKnownScope: (scope) => knownScopes(scope).length > 0,
    });
    this.state = this.initialState();
  }

  /** The grant of a valid access token. */
  grant(token: string): TokenGrant | undefined {
    const entry = Object.hasOwn(this.state.access, token) ? this.state.access[token] : undefined;
    return entry && entry.expiresAt > this.clock.now() ? entry : undefined;
  }

  reset(): void {
    this.state = this.initialState();
  }

  expireTokens(): void {
    this.state.access = {};
  }

  /** Revokes a token, or a service account key identified by its file. */
  revoke(secret: string): void {
    delete this.state.access[secret];
    const account = this.directory.serviceAccounts.find((one) => keyFile(one) === secret);
    const revokedId = account?.private_key_id ?? secret;
    if (!this.state.revoked.includes(revokedId)) this.state.revoked.push(revokedId);
  }

  /** Describes a request to a product for the log. */
  notes(request: VendorRequest, loggableBody: (request: VendorRequest) => unknown): RequestNotes {
    if ([consentPath, '/token', '/revoke', '/picker'].includes(request.path)) {
      return { credential: 'none', body: safeFields(parseForm(request)) };
    }
    const token = bearerOf(request.headers);
    const credential = token === undefined ? 'none' : (this.grant(token)?.label ?? 'unknown');
    return { credential, body: loggableBody(request) };
  }

  /** Handles the consent page, `/token` and `/revoke`; undefined for other paths. */
  answer(request: VendorRequest, fault: FaultRule | undefined): VendorReply | Promise<VendorReply> | undefined {
    const { path, method } = request;
    if (path === consentPath) {
      this.consent.state = this.state.consent;
      return this.consent.answer(request);
    }
    if (path === '/revoke' && method === 'POST') return this.answerRevoke(request);
    if (path === '/token') return method === 'POST' ? this.answerToken(request, fault) : notFoundPage(path);
    return undefined;
  }

  /** Revokes a token and everything issued for it. */
  private answerRevoke(request: VendorRequest): VendorReply {
    const token = parseForm(request).get('token') ?? request.search.get('token') ?? '';
    const isKnown =
      Object.hasOwn(this.state.access, token) ||
      Object.hasOwn(this.state.agreed, token) ||
      this.directory.clients.some(({ refreshTokens }) => Object.hasOwn(refreshTokens, token));
    if (!isKnown || this.state.revoked.includes(token))
      return errorReply(400, 'invalid_token', 'Token expired or revoked');
    this.revoke(token);
    return jsonReply(200, {});
  }

  private answerToken(request: VendorRequest, fault: FaultRule | undefined): VendorReply | Promise<VendorReply> {
    if (fault?.kind === 'expired_token') return errorReply(400, 'invalid_grant', 'Token has been expired or revoked.');
    if (fault?.kind === 'rate_limited') return errorReply(429, 'rate_limit_exceeded', 'Rate Limit Exceeded');
    if (fault?.kind === '500' || fault?.kind === 'internal_error') {
      return errorReply(500, 'internal_failure', 'Backend Error');
    }
    const form = parseForm(request);
    const grantType = form.get('grant_type');
    if (grantType === assertionGrant) return this.exchange(form.get('assertion') ?? '');
    if (grantType !== 'refresh_token' && grantType !== 'authorization_code') {
      return errorReply(400, 'unsupported_grant_type', `Invalid grant_type: ${grantType ?? ''}`);
    }
    const [id, secret] = parseBasicClient(request.headers) ?? [form.get('client_id'), form.get('client_secret')];
    if (!id) return errorReply(400, 'invalid_request', 'Could not determine client ID from request.');
    const client = this.directory.clients.find(({ client_id }) => client_id === id);
    if (!client) return errorReply(401, 'invalid_client', 'The OAuth client was not found.');
    if (!secret) return errorReply(400, 'invalid_request', 'client_secret is missing.');
    if (secret !== client.client_secret) {
      return errorReply(401, 'invalid_client', 'The provided client secret is invalid.');
    }
    if (grantType === 'authorization_code') return this.redeem(client, form);
    return this.refresh(client, form.get('refresh_token') ?? '');
  }

  private redeem({ client_id, project }: GoogleClient, form: URLSearchParams): VendorReply {
    this.consent.state = this.state.consent;
    const authorizationGrant = this.consent.redeem(form.get('code') ?? '', {
      client: client_id,
      redirect: form.get('redirect_uri') ?? '',
      verifier: form.get('code_verifier'),
    });
    if (authorizationGrant === 'other_redirect') return errorReply(400, 'redirect_uri_mismatch', 'Bad Request');
    if (typeof authorizationGrant === 'string') return errorReply(400, 'invalid_grant', 'Bad Request');
    const { account, scope, client } = authorizationGrant;
    const userGrant = { label: 'consent', account, scope };
    const refresh_token = `1//0${this.randomToken()}`;
    this.state.agreed[refresh_token] = { ...userGrant, client };
    const access_token = this.issueToken('ya29.', { ...userGrant, project });
    return jsonReply(200, { access_token, expires_in: tokenTtlSeconds, refresh_token, scope, token_type: 'Bearer' });
  }

  private refresh({ client_id, refreshTokens, project }: GoogleClient, token: string): VendorReply {
    if (token === '') return errorReply(400, 'invalid_request', 'Missing required parameter: refresh_token');
    const consented = Object.hasOwn(this.state.agreed, token) ? this.state.agreed[token] : undefined;
    const ownGrant = consented?.client === client_id ? consented : undefined;
    const userGrant = Object.hasOwn(refreshTokens, token) ? refreshTokens[token] : ownGrant;
    if (!userGrant) return errorReply(400, 'invalid_grant', 'Bad Request');
    if (this.state.revoked.includes(token))
      return errorReply(400, 'invalid_grant', 'Token has been expired or revoked.');
    const { label, scope, account } = userGrant;
    const access_token = this.issueToken('ya29.', { label, scope, account, project });
    return jsonReply(200, { access_token, expires_in: tokenTtlSeconds, scope: userGrant.scope, token_type: 'Bearer' });
  }

  /** Exchanges a service account's assertion for a token. */
  private async exchange(text: string): Promise<VendorReply> {
    if (text === '') return errorReply(400, 'invalid_request', 'Missing required parameter: assertion');
    const assertion = parseAssertion(text);
    if (!assertion) return errorReply(400, 'invalid_request', 'Bad Request');
    const { claims } = assertion;
    const account = this.directory.serviceAccounts.find(({ client_email }) => client_email === claims.iss);
    if (!account) return errorReply(400, 'invalid_grant', 'Invalid grant: account not found');
    const isCurrent = !this.state.revoked.includes(account.private_key_id);
    if (!isCurrent || !(await hasValidSignature(assertion, account))) {
      return errorReply(400, 'invalid_grant', 'Invalid JWT Signature.');
    }
    const fault = claimsErrorOf(claims, this.clock.now() / 1000);
    if (fault !== undefined) return errorReply(400, 'invalid_grant', fault);
    return this.issueTokenTo(account, claims.sub, claims.scope);
  }

  private issueTokenTo(account: ServiceAccount, subject: unknown, requestedScopes: unknown): VendorReply {
    const scopes = typeof requestedScopes === 'string' ? requestedScopes.trim() : '';
    if (scopes === '') {
      return errorReply(400, 'invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
    }
    const { client_email, subjects, delegatedScopes, project } = account;
    const isDelegate = subject !== undefined && subject !== client_email;
    const mayDelegate = [...scopesOf(scopes)].every((scope) => delegatedScopes?.includes(scope) ?? true);
    if (isDelegate && (Object.keys(subjects).length === 0 || !mayDelegate)) {
      return errorReply(
        401,
        'unauthorized_client',
        'Client is unauthorized to retrieve access tokens using this method, or client not authorized for any of the scopes requested.',
      );
    }
    const label = isDelegate ? subjects[String(subject)] : account.label;
    if (label === undefined) return errorReply(400, 'invalid_grant', 'Invalid email or User ID');
    const scope = knownScopes(scopes).join(' ');
    // Google treats an unknown scope as the audience of an identity token.
    if (scope === '') return jsonReply(200, { id_token: this.identityToken(account, scopes) });
    const access_token = this.issueToken('ya29.c.', {
      label,
      scope,
      project,
      account: isDelegate ? String(subject) : client_email,
    });
    return jsonReply(200, { access_token, expires_in: tokenTtlSeconds, token_type: 'Bearer' });
  }

  private issueToken(prefix: string, grant: TokenGrant): string {
    const token = `${prefix}${this.randomToken()}`;
    this.state.access[token] = { ...grant, expiresAt: this.clock.now() + tokenTtlSeconds * 1000 };
    return token;
  }

  private identityToken({ client_email, client_id }: ServiceAccount, aud: string): string {
    const part = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, '');
    const iat = Math.floor(this.clock.now() / 1000);
    const claims = { iss: 'https://accounts.google.com', azp: client_email, aud, sub: client_id, iat, exp: iat + 3600 };
    return `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.${this.randomToken()}`;
  }

  private randomToken(): string {
    const random = new Random(this.state.random);
    const text = `${random.uuid()}${random.uuid()}`.replaceAll('-', '');
    this.state.random = random.state;
    return text;
  }

  private initialState(): TokenState {
    const expiresAt = this.clock.now() + tokenTtlSeconds * 1000;
    const access = this.directory.clients.flatMap(({ accessTokens, project }) =>
      Object.entries(accessTokens).map(([token, agreed]) => [token, { ...agreed, project, expiresAt }] as const),
    );
    return {
      access: Object.fromEntries(access),
      agreed: {},
      consent: newConsentState(this.seed),
      revoked: [],
      random: new Random(this.seed ^ 0x90061e).state,
    };
  }
}

/** The request's bearer token: undefined if the header is missing, empty if it has no bearer token. */
export function bearerOf(headers: Headers): string | undefined {
  const authorization = headers.get('authorization');
  if (!authorization) return undefined;
  return /^Bearer (.+)$/i.exec(authorization)?.[1] ?? '';
}
