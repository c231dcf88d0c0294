import type { Configuration } from 'openid-client';
import * as z from 'zod';
import { isSecure } from '../../common/loopback.js';
import { type ConsoleSessions, sessionDigest } from '../../data/state/console-sessions.js';
import { recordSignIn } from '../../domain/audit/record-audit.js';
import type { RequestAdmission } from '../../domain/limits/admission.js';
import type { Services } from '../api/route.js';
import { type BrowserCookie, browserCookie } from './origin.js';

/** An OpenID Connect provider through which people sign in to the console. */
export interface OidcOptions {
  /** The provider's issuer URL: https, or http on loopback. */
  readonly issuer: string;
  /** The service's id and secret as a client of the provider. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Ids of the service's clients by the provider's groups; the first of these groups that a person belongs to counts. */
  readonly roles: ReadonlyArray<readonly [group: string, clientId: string]>;
  /** The claim with a person's groups. */
  readonly groupsClaim: string;
  /** Scopes to request. */
  readonly scope: string;
}

const oidcSchema = z.strictObject({
  issuer: z.url({ protocol: /^https?$/ }).refine(isSecure),
  client_id: z.string().min(1),
  // Not an object, whose keys would lose their order if they look like numbers.
  roles: z.array(z.strictObject({ group: z.string().min(1), client_id: z.string().regex(/^cli_\w+$/) })),
  groups_claim: z.string().min(1).default('groups'),
  scope: z.string().default('openid email'),
});

/** Reads the provider from the environment; errors name the variable, never its value. */
export function oidcFrom(text: string | undefined, clientSecret: string | undefined): OidcOptions | undefined {
  if (text === undefined) return undefined;
  const form =
    'AGENT_CONNECTORS_OIDC must be JSON such as {"issuer": "https://id.example.com", "client_id": "…", "roles": [{"group": "admins", "client_id": "cli_…"}]}';
  const parsed = oidcSchema.safeParse(parsedJson(text));
  if (!parsed.success) throw new Error(`${form}; see ${parsed.error.issues[0]?.path.join('.') || 'its syntax'}.`);
  if (clientSecret === undefined) throw new Error('AGENT_CONNECTORS_OIDC also needs AGENT_CONNECTORS_OIDC_SECRET.');
  const { issuer, client_id: clientId, groups_claim: groupsClaim, scope } = parsed.data;
  const roles = parsed.data.roles.map(({ group, client_id }) => [group, client_id] as const);
  return { issuer, clientId, clientSecret, roles, groupsClaim, scope };
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
  /** Digest of the browser's session, whose strict cookie does not come back from the provider. */
  readonly former: string | undefined;
}

/** How long a sign-in at the provider may take, in seconds. */
const flowSeconds = 600;
const flowPath = '/console/oidc';

/** Where sign-in through a provider ends: in a session of the browser that started it. */
interface OidcSessions {
  readonly sessions: ConsoleSessions;
  readonly sessionCookie: BrowserCookie;
  readonly publicUrl: string | undefined;
}

/** Sets up sign-in through a provider. */
export function oidcSignIn(
  { issuer, clientId, clientSecret, roles, groupsClaim, scope }: OidcOptions,
  { state, report, now }: Pick<Services, 'state' | 'report' | 'now'>,
  { sessions, sessionCookie, publicUrl }: OidcSessions,
): OidcSignIn {
  if (!isSecure(issuer)) throw new TypeError('The issuer of an OpenID Connect provider must use https.');
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
  // Lax, since the provider's page sends the browser back.
  const flowCookie = browserCookie(publicUrl, { suffix: '-oidc', path: flowPath, sameSite: 'Lax' });
  /** Ends the flow; the console shows a message for the reason. */
  const fail = (reason: 'expired' | 'failed' | 'forbidden') =>
    redirect(`/console/#sign-in=${reason}`, flowCookie.serialize('', 0));
  const redirect = (location: string, ...cookies: readonly string[]) =>
    new Response(null, {
      status: 303,
      headers: [['location', location], ...cookies.map((cookie): [string, string] => ['set-cookie', cookie])],
    });
  const refresh = (path: string) =>
    new Response(`<!doctype html><meta http-equiv="refresh" content="0; url=${path}">`, {
      headers: { 'content-type': 'text/html; charset=utf-8' },
    });

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
    // Some providers send the flag as text.
    const isEmail = typeof info.email === 'string' && String(info.email_verified ?? true) === 'true';
    return { name: isEmail ? String(info.email) : claims.sub, groups: Array.isArray(groups) ? groups : [groups] };
  };

  return {
    async start({ request, requestId, admission }) {
      await admission.admitAnonymous();
      // A link on another site: only the service's own page sends the session's strict cookie.
      if (request.headers.get('sec-fetch-site') === 'cross-site') return refresh(`${flowPath}/start`);
      if (!isSecure(baseOf(request))) {
        report(new TypeError('Sign-in through a provider needs https: set --public-url.'), requestId);
        return fail('failed');
      }
      const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } =
        await library();
      const formerToken = sessionCookie.read(request.headers);
      const flow: Flow = {
        state: randomState(),
        nonce: randomNonce(),
        verifier: randomPKCECodeVerifier(),
        former: formerToken && sessionDigest(formerToken),
      };
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
      const kept = [flow.state, flow.nonce, flow.verifier, ...(flow.former ? [flow.former] : [])].join('.');
      return redirect(url.href, flowCookie.serialize(kept, flowSeconds));
    },
    async finish({ request, admission, requestId, address }) {
      await admission.admitAnonymous();
      const [flowState, nonce, verifier, former] = flowCookie.read(request.headers)?.split('.') ?? [];
      if (!flowState || !nonce || !verifier) return fail('expired');
      const flow = { state: flowState, nonce, verifier, former };
      const person = await personOf(request, flow).catch((error: unknown) => report(error, requestId));
      if (!person) return fail('failed');
      const role = roles.find(([group]) => person.groups.includes(group));
      const client = role && (await state.clients.get(role[1]));
      if (!client) return fail('forbidden');
      const subject = person.name.slice(0, 200);
      const signIn = { event: 'sign_in', outcome: 'success', via: 'console', requestId, address } as const;
      await recordSignIn(state.audit, { ...signIn, client, subject });
      // A link would sign in any browser that opens it; the cookie stays in the one that started.
      if (former) await sessions.endByDigest(former);
      const { token, expiresAt } = await sessions.begin(client.id);
      const seconds = Math.floor((expiresAt - now()) / 1000);
      return redirect('/console/', flowCookie.serialize('', 0), sessionCookie.serialize(token, seconds));
    },
  };
}
