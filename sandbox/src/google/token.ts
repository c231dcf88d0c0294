import type { SandboxClock } from '../clock.js';
import type { FaultRule } from '../faults.js';
import { Random } from '../random.js';
import type { VendorReply, VendorRequest } from '../vendor.js';

/** Who a token acts for. */
interface Given {
  label: string;
  scope: string;
}

/** An OAuth client and what its user agreed to. */
export interface GoogleClient {
  client_id: string;
  client_secret: string;
  refreshTokens: Readonly<Record<string, Given>>;
  /** Access tokens that are valid from the start. */
  accessTokens: Readonly<Record<string, Given>>;
}

interface AccessToken extends Given {
  expiresAt: number;
}

/** What the token endpoint has given out so far, as plain JSON. */
export interface TokenState {
  access: Record<string, AccessToken>;
  revoked: string[];
  random: number;
}

const lifetime = 3599;

/** Google's token endpoint and the tokens it has given out. */
export class GoogleTokens {
  state: TokenState;
  private readonly clock: SandboxClock;
  private readonly client: GoogleClient;

  constructor(clock: SandboxClock, seed: number, client: GoogleClient) {
    this.clock = clock;
    this.client = client;
    const expiresAt = clock.now() + lifetime * 1000;
    const access = Object.entries(client.accessTokens).map(([token, given]) => [token, { ...given, expiresAt }]);
    this.state = { access: Object.fromEntries(access), revoked: [], random: new Random(seed ^ 0x90061e).state };
  }

  /** What an access token allows, while it is valid. */
  grant(token: string): Given | undefined {
    const known = Object.hasOwn(this.state.access, token) ? this.state.access[token] : undefined;
    return known && known.expiresAt > this.clock.now() ? known : undefined;
  }

  expireTokens(): void {
    this.state.access = {};
  }

  revoke(secret: string): void {
    delete this.state.access[secret];
    if (!this.state.revoked.includes(secret)) this.state.revoked.push(secret);
  }

  /** Answers `/token`. */
  answer(request: VendorRequest, fault: FaultRule | undefined): VendorReply {
    if (fault?.kind === 'expired_token') return refuse(400, 'invalid_grant', 'Token has been expired or revoked.');
    if (fault?.kind === 'rate_limited') return refuse(429, 'rate_limit_exceeded', 'Rate Limit Exceeded');
    if (fault?.kind === '500' || fault?.kind === 'internal_error') {
      return refuse(500, 'internal_failure', 'Backend Error');
    }
    const form = formOf(request);
    const grantType = form.get('grant_type');
    if (grantType !== 'refresh_token') {
      return refuse(400, 'unsupported_grant_type', `Invalid grant_type: ${grantType ?? ''}`);
    }
    const [id, secret] = clientOf(request.headers) ?? [form.get('client_id'), form.get('client_secret')];
    if (!id) return refuse(400, 'invalid_request', 'Could not determine client ID from request.');
    if (id !== this.client.client_id) return refuse(401, 'invalid_client', 'The OAuth client was not found.');
    if (!secret) return refuse(400, 'invalid_request', 'client_secret is missing.');
    if (secret !== this.client.client_secret) {
      return refuse(401, 'invalid_client', 'The provided client secret is invalid.');
    }
    return this.refresh(form.get('refresh_token') ?? '');
  }

  private refresh(token: string): VendorReply {
    if (token === '') return refuse(400, 'invalid_request', 'Missing required parameter: refresh_token');
    const { refreshTokens } = this.client;
    const given = Object.hasOwn(refreshTokens, token) ? refreshTokens[token] : undefined;
    if (!given) return refuse(400, 'invalid_grant', 'Bad Request');
    if (this.state.revoked.includes(token)) return refuse(400, 'invalid_grant', 'Token has been expired or revoked.');
    const random = new Random(this.state.random);
    const access_token = `ya29.${random.uuid()}${random.uuid()}`.replaceAll('-', '');
    this.state.random = random.state;
    this.state.access[access_token] = { ...given, expiresAt: this.clock.now() + lifetime * 1000 };
    return json(200, { access_token, expires_in: lifetime, scope: given.scope, token_type: 'Bearer' });
  }
}

function formOf(request: VendorRequest): URLSearchParams {
  if (!/json/i.test(request.headers.get('content-type') ?? '')) return new URLSearchParams(request.body);
  try {
    return new URLSearchParams(JSON.parse(request.body));
  } catch {
    return new URLSearchParams();
  }
}

function clientOf(headers: Headers): [string, string] | undefined {
  const basic = /^Basic (.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (!basic) return undefined;
  try {
    const [id = '', secret = ''] = atob(basic).split(':');
    return [decodeURIComponent(id), decodeURIComponent(secret)];
  } catch {
    return ['', ''];
  }
}

function refuse(status: number, error: string, error_description: string): VendorReply {
  return json(status, { error, error_description });
}

function json(status: number, body: unknown): VendorReply {
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache, no-store, max-age=0, must-revalidate',
    },
    body: `${JSON.stringify(body, null, 2)}`,
  };
}
