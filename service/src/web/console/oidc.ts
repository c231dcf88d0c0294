import type { Configuration } from 'openid-client';
import * as z from 'zod';
import type { ConsoleSessions } from '../../data/state/console-sessions.js';
import { recordSignIn } from '../../domain/audit/record-audit.js';
import type { RequestAdmission } from '../../domain/limits/admission.js';
import type { Services } from '../api/route.js';

/** An OpenID Connect provider through which people sign in to the console. */
export interface OidcOptions {
  /** The provider's issuer URL. */
  readonly issuer: string;
  /** The service's id and secret as a client of the provider. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Ids of the service's clients by the provider's groups; the first group that a person belongs to counts. */
  readonly roles: ReadonlyArray<readonly [group: string, clientId: string]>;
  /** The claim with a person's groups. */
  readonly groupsClaim: string;
  /** Scopes to request. */
  readonly scope: string;
}

const oidcSchema = z.strictObject({
  issuer: z.url({ protocol: /^https?$/ }),
  client_id: z.string().min(1),
  roles: z.record(z.string(), z.string().regex(/^cli_\w+$/)),
  groups_claim: z.string().min(1).default('groups'),
  scope: z.string().default('openid email'),
});

/** Reads the provider from the environment; errors name the variable, never its value. */
export function oidcFrom(text: string | undefined, clientSecret: string | undefined): OidcOptions | undefined {
  if (text === undefined) return undefined;
  const form =
    'AGENT_CONNECTORS_OIDC must be JSON such as {"issuer": "https://id.example.com", "client_id": "…", "roles": {"admins": "cli_…"}}';
  const parsed = oidcSchema.safeParse(parsedJson(text));
  if (!parsed.success) throw new Error(`${form}; see ${parsed.error.issues[0]?.path.join('.') || 'its syntax'}.`);
  if (clientSecret === undefined) throw new Error('AGENT_CONNECTORS_OIDC also needs AGENT_CONNECTORS_OIDC_SECRET.');
  const { issuer, client_id: clientId, roles, groups_claim: groupsClaim, scope } = parsed.data;
  return { issuer, clientId, clientSecret, roles: Object.entries(roles), groupsClaim, scope };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A request for one of the two pages. */
interface OidcRequest {
  readonly request: Request;
  readonly requestId: string;
  readonly address: string | undefined;
  readonly admission: Pick<RequestAdmission, 'admitAnonymous'>;
}

/** Sign-in through a provider: a page that sends the browser there, and one to which it returns. */
export interface OidcSignIn {
  start(oidcRequest: OidcRequest): Promise<Response>;
  finish(oidcRequest: OidcRequest): Promise<Response>;
}

/** What a browser keeps between the two pages. */
interface Flow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** How long a sign-in at the provider may take, in seconds. */
const flowSeconds = 600;
const flowPath = '/console/oidc';

/** Sets up sign-in through a provider. The browser receives a sign-in link, as an operator would print it. */
export function oidcSignIn(
  { issuer, clientId, clientSecret, roles, groupsClaim, scope }: OidcOptions,
  { state, report }: Pick<Services, 'state' | 'report'>,
  { sessions, publicUrl }: { readonly sessions: ConsoleSessions; readonly publicUrl: string | undefined },
): OidcSignIn {
  const library = () => import('openid-client');
  let discovery: Promise<Configuration> | undefined;
  const discover = async (): Promise<Configuration> => {
    const { discovery: find, allowInsecureRequests } = await library();
    const url = new URL(issuer);
    const isLocal = url.protocol === 'http:';
    return find(url, clientId, clientSecret, undefined, { ...(isLocal && { execute: [allowInsecureRequests] }) });
  };
  const configuration = () => {
    discovery ??= discover().catch((error: unknown) => {
      discovery = undefined;
      throw error;
    });
    return discovery;
  };
  const baseOf = (request: Request) => (publicUrl ?? new URL(request.url).origin).replace(/\/$/, '');
  const cookieName = 'agent-connectors-oidc';
  const cookie = (value: string, seconds: number) =>
    // Lax, since the provider's page sends the browser back.
    `${cookieName}=${value}; Path=${flowPath}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${publicUrl?.startsWith('https:') ? '; Secure' : ''}`;
  /** The console shows a message for the reason. */
  const fail = (reason: 'expired' | 'failed' | 'forbidden') => redirect(`/console/#sign-in=${reason}`, '', 0);
  const redirect = (location: string, value: string, seconds: number) =>
    new Response(null, { status: 303, headers: { location, 'set-cookie': cookie(value, seconds) } });

  const personOf = async (request: Request, flow: Flow) => {
    const { authorizationCodeGrant, fetchUserInfo } = await library();
    const provider = await configuration();
    const url = new URL(request.url);
    const tokens = await authorizationCodeGrant(provider, new URL(`${baseOf(request)}${url.pathname}${url.search}`), {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    const hasAll = [groupsClaim, 'email'].every((claim) => claim in claims);
    // Some providers put these claims only into the user info.
    const info =
      hasAll || !provider.serverMetadata().userinfo_endpoint
        ? claims
        : { ...claims, ...(await fetchUserInfo(provider, tokens.access_token, claims.sub)) };
    const groups: unknown = info[groupsClaim];
    const isEmail = typeof info.email === 'string' && info.email_verified !== false;
    return { name: isEmail ? String(info.email) : claims.sub, groups: Array.isArray(groups) ? groups : [groups] };
  };

  return {
    async start({ request, requestId, admission }) {
      await admission.admitAnonymous();
      const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } =
        await library();
      const flow: Flow = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const provider = await configuration().catch((error: unknown) => report(error, requestId));
      if (!provider) return fail('failed');
      const url = buildAuthorizationUrl(provider, {
        redirect_uri: `${baseOf(request)}${flowPath}/callback`,
        scope,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
      });
      return redirect(url.href, Object.values(flow).join('.'), flowSeconds);
    },
    async finish({ request, admission, requestId, address }) {
      await admission.admitAnonymous();
      const [flowState, nonce, verifier] =
        new RegExp(`(?:^|;\\s*)${cookieName}=([^;]+)`).exec(request.headers.get('cookie') ?? '')?.[1]?.split('.') ?? [];
      if (!flowState || !nonce || !verifier) return fail('expired');
      const person = await personOf(request, { state: flowState, nonce, verifier }).catch((error: unknown) =>
        report(error, requestId),
      );
      if (!person) return fail('failed');
      const role = roles.find(([group]) => person.groups.includes(group));
      const client = role && (await state.clients.get(role[1]));
      if (!client) return fail('forbidden');
      const subject = person.name.slice(0, 200);
      const signIn = { event: 'sign_in', outcome: 'success', via: 'console', requestId, address } as const;
      await recordSignIn(state.audit, { ...signIn, client, subject });
      return redirect(`/console/#link=${await sessions.createLink(client.id)}`, '', 0);
    },
  };
}
