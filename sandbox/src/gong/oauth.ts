import { basicOf } from '../authorization.js';
import type { SandboxClock } from '../clock.js';
import type { FaultRule } from '../faults.js';
import { IssuedTokens } from '../oauth.js';
import { Random } from '../random.js';
import type { VendorReply, VendorRequest } from '../vendor.js';
import { allScopes, type Grant, gongCredentials, limitedScopes } from './credentials.js';

const tokenTtlSeconds = 86_400;

interface RefreshToken {
  label: string;
  client: string;
  scope: string;
}

interface AccessToken extends RefreshToken {
  expiresAt: number;
}

/** Gong's token endpoint and its tokens. */
export class OAuth extends IssuedTokens<AccessToken, RefreshToken> {
  constructor(clock: SandboxClock, seed: number) {
    const { oauth, oauth_with_token, limited } = gongCredentials;
    const expiresAt = clock.now() + tokenTtlSeconds * 1000;
    const allToken = { client: oauth.client_id, scope: allScopes };
    const limitedToken = { label: 'limited', client: limited.client_id, scope: limitedScopes };
    const consent = {
      title: 'Gong',
      clients: [oauth.client_id, limited.client_id],
      accounts: { 'maren.holt': 'Maren Holt' },
      separator: ' ',
      isKnownScope: (scope: string) => allScopes.split(' ').includes(scope),
    };
    super(clock, seed, consent, {
      access: {
        [oauth_with_token.access_token]: { ...allToken, label: 'oauth_with_token', expiresAt },
        [limited.access_token]: { ...limitedToken, expiresAt },
      },
      refresh: {
        [oauth.refresh_token]: { ...allToken, label: 'oauth' },
        [oauth_with_token.refresh_token]: { ...allToken, label: 'oauth_with_token' },
        [limited.refresh_token]: limitedToken,
      },
      random: new Random(seed ^ 0x60a6).state,
    });
  }

  grant(token: string): Grant | undefined {
    const accessToken = this.accessToken(token);
    if (!accessToken) return undefined;
    const { label, scope } = accessToken;
    return { label, scopes: new Set(scope.split(' ')), seesCalls: true, isRegional: false };
  }

  /** Handles `/oauth2/generate-customer-token`, for a company with the given API URL. */
  answer(request: VendorRequest, fault: FaultRule | undefined, apiAddress: string): VendorReply {
    if (request.path === '/oauth2/authorize') return this.answerConsent(request);
    if (request.path !== '/oauth2/generate-customer-token') return errorReply(404, 'not_found', 'No such resource');
    if (request.method !== 'POST') return errorReply(405, 'invalid_request', 'Only POST is supported');
    if (fault?.kind === 'expired_token') return invalidGrant();
    if (fault?.kind === 'rate_limited') {
      return errorReply(429, 'rate_limited', 'Too many requests', { 'retry-after': String(fault.retryAfter ?? 1) });
    }
    const fails = fault?.kind === '500' || fault?.kind === 'internal_error';
    const reply = fails && !fault.applied ? undefined : this.exchange(request, apiAddress);
    return fails || !reply ? errorReply(500, 'server_error', 'Internal server error') : reply;
  }

  private exchange({ search, headers }: VendorRequest, apiAddress: string): VendorReply {
    const client = basicOf(headers);
    const clients = [gongCredentials.oauth, gongCredentials.limited];
    const registeredClient = clients.find(({ client_id, client_secret }) => client === `${client_id}:${client_secret}`);
    if (!registeredClient) return errorReply(401, 'invalid_client', 'Client authentication failed');
    // Only query parameters count; a form in the body is ignored.
    const grantType = search.get('grant_type');
    if (grantType === null) return errorReply(400, 'invalid_request', 'Missing parameter: grant_type');
    if (grantType === 'authorization_code') return this.redeem(search, registeredClient.client_id, apiAddress);
    if (grantType !== 'refresh_token') return errorReply(400, 'unsupported_grant_type', `Not supported: ${grantType}`);
    const token = search.get('refresh_token') ?? '';
    const refreshToken = this.refreshToken(token);
    if (!refreshToken || refreshToken.client !== registeredClient.client_id) return invalidGrant();
    delete this.state.refresh[token];
    return this.issue(refreshToken, apiAddress);
  }

  private redeem(search: URLSearchParams, client: string, apiAddress: string): VendorReply {
    const authorizationGrant = this.redeemCode(search, client);
    if (typeof authorizationGrant === 'string')
      return errorReply(400, 'invalid_grant', 'The authorization code is invalid');
    return this.issue({ label: 'consent', client, scope: authorizationGrant.scope }, apiAddress);
  }

  private issue(token: RefreshToken, apiAddress: string): VendorReply {
    const texts = this.randomTexts(4);
    const access_token = `gat_${texts[0]}${texts[1]}`;
    const refresh_token = `grt_${texts[2]}${texts[3]}`;
    this.state.access[access_token] = { ...token, expiresAt: this.clock.now() + tokenTtlSeconds * 1000 };
    this.state.refresh[refresh_token] = token;
    return json(200, {
      access_token,
      refresh_token,
      token_type: 'bearer',
      expires_in: tokenTtlSeconds,
      scope: token.scope,
      api_base_url_for_customer: apiAddress,
    });
  }
}

function invalidGrant(): VendorReply {
  return errorReply(400, 'invalid_grant', 'The refresh token is invalid, expired or has been used');
}

function errorReply(status: number, error: string, error_description: string, headers = {}): VendorReply {
  return json(status, { error, error_description }, headers);
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): VendorReply {
  return {
    status,
    headers: { 'content-type': 'application/json;charset=UTF-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(body),
  };
}
