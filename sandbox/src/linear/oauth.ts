import { basicOf, bearerOf } from '../authorization.js';
import type { SandboxClock } from '../clock.js';
import type { FaultRule } from '../faults.js';
import { IssuedTokens } from '../oauth.js';
import { Random } from '../random.js';
import type { VendorReply, VendorRequest } from '../vendor.js';
import { type Grant, linearCredentials, tokenGrant } from './credentials.js';

const day = 86_400_000;
const replayWindow = 30 * 60_000;

interface AccessToken {
  label: string;
  expiresAt: number;
  scope: string;
}

interface RefreshToken {
  scope: string;
  /** Time of the first exchange; after that, the token can only be replayed for a limited time. */
  usedAt: number | null;
}

/** Linear's token endpoint and its tokens. */
export class OAuth extends IssuedTokens<AccessToken, RefreshToken> {
  constructor(clock: SandboxClock, seed: number) {
    const { access_token, oauth } = { ...linearCredentials, ...linearCredentials.access_token };
    const scope = 'read write';
    const consent = {
      title: 'Linear',
      clients: [oauth.client_id],
      accounts: { 'ines.carvalho': 'Ines Carvalho' },
      separator: ',',
      isKnownScope: (name: string) => ['read', 'write'].includes(name),
    };
    super(clock, seed, consent, {
      access: { [access_token]: { label: 'access_token', expiresAt: clock.now() + day, scope } },
      refresh: { [oauth.refresh_token]: { scope, usedAt: null } },
      random: new Random(seed ^ 0x0a07).state,
    });
  }

  grant(token: string): Grant | undefined {
    const accessToken = this.accessToken(token);
    return accessToken && tokenGrant(accessToken.label, accessToken.scope.split(' ').includes('write'));
  }

  /** Handles `/oauth/token` and `/oauth/revoke`. */
  answer(request: VendorRequest, fault: FaultRule | undefined): VendorReply {
    const act = () => (request.path === '/oauth/token' ? this.answerToken(request) : this.answerRevoke(request));
    if (fault?.kind === 'expired_token') return errorReply(400, 'invalid_grant', 'The refresh token has expired');
    if (fault?.kind !== '500') return act();
    if (fault.applied) act();
    return errorReply(500, 'server_error', 'Internal server error');
  }

  private answerToken(request: VendorRequest): VendorReply {
    if (!/^application\/x-www-form-urlencoded/i.test(request.headers.get('content-type') ?? '')) {
      return errorReply(400, 'invalid_request', 'The body must be application/x-www-form-urlencoded');
    }
    const form = new URLSearchParams(request.body);
    const client = basicOf(request.headers)?.split(':') ?? [form.get('client_id'), form.get('client_secret')];
    const { client_id, client_secret } = linearCredentials.oauth;
    if (client[0] !== client_id || client[1] !== client_secret) {
      return errorReply(401, 'invalid_client', 'Client authentication failed');
    }
    switch (form.get('grant_type')) {
      case 'refresh_token':
        return this.refresh(form.get('refresh_token') ?? '');
      case 'authorization_code':
        return this.redeem(form, client_id);
      case 'client_credentials':
        return this.issue((form.get('scope') ?? 'read').replaceAll(',', ' '), 30 * day, false);
      default:
        return errorReply(
          400,
          'unsupported_grant_type',
          'Supported grant types are refresh_token and client_credentials',
        );
    }
  }

  private redeem(form: URLSearchParams, client: string): VendorReply {
    const authorizationGrant = this.redeemCode(form, client);
    if (typeof authorizationGrant === 'string')
      return errorReply(400, 'invalid_grant', 'The authorization code is invalid');
    return this.issue(authorizationGrant.scope, day, true);
  }

  private answerRevoke(request: VendorRequest): VendorReply {
    const form = new URLSearchParams(request.body);
    const bearer = bearerOf(request.headers);
    const token = form.get('token') ?? form.get('access_token') ?? form.get('refresh_token') ?? bearer;
    if (!token) return errorReply(401, 'invalid_token', 'No token was given');
    if (!this.revoke(token)) return errorReply(400, 'invalid_request', 'The token could not be revoked');
    return jsonReply(200, { success: true });
  }

  private refresh(token: string): VendorReply {
    const entry = this.refreshToken(token);
    const now = this.clock.now();
    if (!entry || (entry.usedAt !== null && now - entry.usedAt > replayWindow)) {
      return errorReply(400, 'invalid_grant', 'The refresh token is invalid, expired or revoked');
    }
    entry.usedAt ??= now;
    return this.issue(entry.scope, day, true);
  }

  private issue(scope: string, lifetime: number, isRefreshable: boolean): VendorReply {
    const texts = this.randomTexts(2);
    const access_token = `lin_oauth_${texts[0]}`;
    const refresh_token = `lin_refresh_${texts[1]}`;
    this.state.access[access_token] = { label: 'oauth', expiresAt: this.clock.now() + lifetime, scope };
    if (isRefreshable) this.state.refresh[refresh_token] = { scope, usedAt: null };
    return jsonReply(200, {
      access_token,
      token_type: 'Bearer',
      expires_in: lifetime / 1000,
      scope,
      ...(isRefreshable && { refresh_token }),
    });
  }
}

function errorReply(status: number, error: string, error_description: string): VendorReply {
  return jsonReply(status, { error, error_description });
}

function jsonReply(status: number, body: unknown): VendorReply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  };
}
