import { createHash } from 'node:crypto';
import type { Grant, Redemption } from '../../data/state/oauth-types.js';
import { recordChange, runAs } from '../../domain/audit/record-audit.js';
import { isDocumentAddress } from '../../domain/oauth/metadata-document.js';
import { OAuthError } from '../../domain/oauth/oauth-error.js';
import { basicCredentials } from '../api/client-credentials.js';
import { readForm } from '../api/form.js';
import { boundScopes } from '../api/handle-request.js';
import { resourceOf } from './authorization-request.js';
import type { OAuthDependencies, OAuthRequest } from './dependencies.js';

/** Returns a request's app id after verifying the app's secret, if it has one. */
async function authenticateApp(
  { request, admission }: OAuthRequest,
  form: URLSearchParams,
  { services: { state } }: OAuthDependencies,
): Promise<string> {
  const [basicId, basicSecret] = basicCredentials(request.headers) ?? [];
  const id = basicId ?? form.get('client_id') ?? '';
  // An app described by a public document is a public client. The document is read only for signed-in users.
  if (isDocumentAddress(id)) return id;
  const app = id.length > 0 && id.length <= 100 ? await state.oauthApps.get(id) : undefined;
  const secret = basicSecret ?? form.get('client_secret') ?? '';
  const isProven = app?.authMethod === 'none' || (app !== undefined && (await state.oauthApps.hasSecret(id, secret)));
  if (isProven) return id;
  await admission.countWrongSecret('oauth app');
  throw new OAuthError('invalid_client', 'The app is unknown or its secret is incorrect.', 401);
}

/** Verifies a PKCE verifier against its challenge (RFC 7636, S256). */
const fitsChallenge = (verifier: string, challenge: string): boolean =>
  /^[\w.~-]{43,128}$/.test(verifier) && createHash('sha256').update(verifier).digest('base64url') === challenge;

const describeTokenFailures = {
  replayed: 'The code or refresh token has already been used, so the access it granted was revoked.',
  refused: 'The code or refresh token has expired or does not belong to this request.',
};

/** A required parameter; one without a value counts as missing (RFC 6749, section 3.2). */
function required(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (!value) throw new OAuthError('invalid_request', `${name} is missing.`);
  return value;
}

/** Exchanges codes and refresh tokens for tokens. */
export function tokenHandler(dependencies: OAuthDependencies) {
  const { services, base } = dependencies;
  const { state, tokens } = services;

  const answer = async (redemption: Redemption | undefined, { requestId, address, admission }: OAuthRequest) => {
    if (!redemption) {
      await admission.countWrongSecret('oauth grant');
      throw new OAuthError('invalid_grant', 'The code or refresh token is unknown, expired or revoked.');
    }
    const { outcome, grant } = redemption;
    const { id, organizationId, workspaceId, clientId, resource } = grant;
    const record = (event: string, result?: string) =>
      runAs({ clientId, scopes: grant.scopes, via: 'oauth', requestId, address, grantId: id }, () =>
        recordChange(state.audit, { event, organizationId, workspaceId, subject: id, outcome: result }),
      );
    if (outcome !== 'redeemed') {
      record(outcome === 'replayed' ? 'oauth.revoked' : 'token', outcome === 'replayed' ? 'replayed' : 'unauthorized');
      throw new OAuthError('invalid_grant', describeTokenFailures[outcome]);
    }
    const client = await state.clients.get(clientId);
    if (!client?.organizationIds.includes(organizationId))
      throw new OAuthError('invalid_grant', 'The client no longer belongs to the organization.');
    const { token, expiresIn } = await tokens.issue({ kind: 'grant', clientId, organizationId, grantId: id, resource });
    record('token');
    const own = boundScopes(client.scopes, client.asUser);
    const scope = grant.scopes.filter((granted) => own.includes(granted)).join(' ');
    const body = {
      access_token: token,
      token_type: 'Bearer',
      expires_in: expiresIn,
      refresh_token: redemption.refreshToken,
      scope,
    };
    return Response.json(body);
  };

  return async (oauthRequest: OAuthRequest): Promise<Response> => {
    const { request, admission } = oauthRequest;
    await admission.admitSignIn();
    const form = await readForm(request, admission.reserveBytes);
    for (const name of new Set(form.keys())) {
      if (form.getAll(name).length > 1) throw new OAuthError('invalid_request', 'A parameter is repeated.');
    }
    const appId = await authenticateApp(oauthRequest, form, dependencies);
    const resource = form.get('resource');
    const fits = (grant: Grant): boolean =>
      grant.appId === appId && (resource === null || resourceOf(resource, base.of(request.headers)) === grant.resource);
    const type = required(form, 'grant_type');
    if (type === 'authorization_code') {
      const [verifier, redirectUri] = [form.get('code_verifier') ?? '', form.get('redirect_uri')];
      const redemption = await state.grants.redeemCode(
        required(form, 'code'),
        (grant) =>
          fits(grant) &&
          fitsChallenge(verifier, grant.challenge) &&
          (redirectUri === null || redirectUri === grant.redirectUri),
      );
      return answer(redemption, oauthRequest);
    }
    if (type === 'refresh_token') {
      const scopes = (form.get('scope') ?? '').split(' ').filter(Boolean);
      // Checked first: a refused refresh must not use up the token.
      if (scopes.some((scope) => scope !== 'read' && scope !== 'write')) {
        throw new OAuthError('invalid_scope', 'scope must contain only read and write.');
      }
      const refreshToken = required(form, 'refresh_token');
      const known = await state.grants.byRefreshToken(refreshToken);
      if (known) await services.storage.admitChange(known);
      const redemption = await state.grants.refresh(
        refreshToken,
        (grant) => fits(grant) && scopes.every((scope) => grant.scopes.some((own) => own === scope)),
        tokens.nextRefreshTokens,
      );
      return answer(redemption, oauthRequest);
    }
    throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
  };
}

/** Revokes a token's grant (RFC 7009); an unknown token is treated as revoked. */
export function revokeHandler(dependencies: OAuthDependencies) {
  const { state, tokens } = dependencies.services;
  const grantOf = async (token: string): Promise<Pick<Grant, 'id' | 'organizationId'> | undefined> => {
    if (token.startsWith('ort_')) return state.grants.byRefreshToken(token);
    const claims = await tokens.verify(token);
    return claims?.grantId === undefined ? undefined : { id: claims.grantId, organizationId: claims.organizationId };
  };
  return async (oauthRequest: OAuthRequest): Promise<Response> => {
    const { request, requestId, address, admission } = oauthRequest;
    await admission.admitSignIn();
    const form = await readForm(request, admission.reserveBytes);
    const appId = await authenticateApp(oauthRequest, form, dependencies);
    const found = await grantOf(required(form, 'token'));
    const grant = found && (await state.grants.use(found.organizationId, found.id));
    if (!grant || grant.appId !== appId) return revoked();
    const { id, organizationId, workspaceId, clientId, scopes } = grant;
    await state.grants.revoke({ organizationId }, id);
    runAs({ clientId, scopes, via: 'oauth', requestId, address }, () =>
      recordChange(state.audit, { event: 'oauth.revoked', organizationId, workspaceId, subject: id }),
    );
    return revoked();
  };
}

/** RFC 7009 requires no body, but clients that parse every response fail on an empty one. */
const revoked = () => Response.json({});
