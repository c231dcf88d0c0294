import {
  IntrospectionResponse,
  IssuedTokenResponse,
  list,
  RevokedTokenResponse,
  RevokeTokenRequest,
  TokenToInspect,
} from 'agent-connectors/wire';
import { instantOf } from '../../../common/moment.js';
import type { AccessTokenRow } from '../../../data/state/access-tokens.js';
import { recordChange } from '../../../domain/audit/record-audit.js';
import { httpError, notFoundError } from '../../../domain/http-error.js';
import { type Call, type Route, route } from '../route.js';

/** Whether the caller may see and revoke a token: its own client's, or, with `admin`, any of the organization. */
const isVisible = (
  { caller, scope }: Call,
  { clientId, organizationId }: Pick<AccessTokenRow, 'clientId' | 'organizationId'>,
): boolean =>
  clientId === caller.client.id || (caller.scopes.includes('admin') && organizationId === scope.organizationId);

/** The usable token that a request names, by itself or by its id. */
async function findToken(
  call: Call,
  { token, id }: { readonly token?: string | undefined; readonly id?: string | undefined },
) {
  const { state, tokens } = call.services;
  const tokenId = token === undefined ? id : (await tokens.verify(token))?.tokenId;
  const found = tokenId === undefined ? undefined : await state.accessTokens.get(tokenId);
  return found && isVisible(call, found) ? found : undefined;
}

const listTokens = route({
  method: 'GET',
  path: '/api/v1/account/tokens',
  operationId: 'listTokens',
  summary: 'List the client’s valid tokens with their last use; with the admin scope, all of the organization’s.',
  access: 'account',
  tokenScope: null,
  response: list(IssuedTokenResponse),
  async handle({ caller, scope, services }) {
    const clientId = caller.scopes.includes('admin') ? undefined : caller.client.id;
    const found = await services.state.accessTokens.list({ organizationId: scope.organizationId, clientId });
    return {
      data: found.map((token) => ({
        id: token.id,
        client_id: token.clientId,
        workspace_id: token.workspaceId,
        created_at: instantOf(token.createdAt)!,
        expires_at: instantOf(token.expiresAt)!,
        last_used_at: instantOf(token.usedAt),
      })),
    };
  },
});

const revokeToken = route({
  method: 'POST',
  path: '/api/v1/account/tokens/revoke',
  operationId: 'revokeToken',
  summary: 'Revoke one token of the client or, with the admin scope, of the organization.',
  access: 'account',
  tokenScope: null,
  forPersons: true,
  body: RevokeTokenRequest,
  response: RevokedTokenResponse,
  errors: [404],
  async handle(call) {
    const { body, services } = call;
    if ((body.token === undefined) === (body.id === undefined)) {
      throw httpError(422, 'invalid_params', 'The body must contain either token or id.');
    }
    const found = await findToken(call, body);
    if (!found || !(await services.state.accessTokens.revoke(found.id))) throw notFoundError('token');
    recordChange(services.state.audit, {
      event: 'token.revoked',
      organizationId: found.organizationId,
      workspaceId: found.workspaceId ?? undefined,
      subject: found.id,
    });
    return { id: found.id, revoked: true };
  },
});

const introspectToken = route({
  method: 'POST',
  path: '/api/v1/account/tokens/introspect',
  operationId: 'introspectToken',
  summary: 'Whether a token of the client or, with the admin scope, of the organization is valid, as in RFC 7662.',
  access: 'account',
  tokenScope: null,
  isChange: false,
  forPersons: true,
  body: TokenToInspect,
  response: IntrospectionResponse,
  async handle(call) {
    const { token } = call.body;
    const { authenticate } = call.services;
    const found = await findToken(call, { token });
    if (!found) return { active: false };
    // A valid signature is not enough: the client may have been deleted or the token ended.
    const bearer = await authenticate(new Headers({ authorization: `Bearer ${token}` })).catch(() => undefined);
    if (!bearer) return { active: false };
    return {
      active: true,
      jti: found.id,
      client_id: found.clientId,
      token_type: 'bearer',
      scope: bearer.scopes.join(' '),
      iat: Math.floor(found.createdAt / 1000),
      exp: Math.floor(found.expiresAt / 1000),
      ...(bearer.asUser && { username: bearer.asUser.email }),
    };
  },
});

/** Routes for tokens that have been issued. */
export const tokenRoutes: readonly Route[] = [listTokens, revokeToken, introspectToken];
