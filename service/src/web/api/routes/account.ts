import {
  ClientCredentialsForm,
  DeletedResponse,
  list,
  MeResponse,
  NewWorkspaceRequest,
  newPathLabel,
  OrganizationResponse,
  type ResponseOf,
  ScopedTokenRequest,
  ScopedTokenResponse,
  TokenRequest,
  TokenResponse,
  type TokenScope,
  tokenScopes,
  WorkspaceResponse,
  WorkspacesQuery,
  WorkspacesResponse,
} from 'agent-connectors/wire';
import * as z from 'zod';
import { newId } from '../../../data/state/database.js';
import { type Client, type Organization, StateConflict, type Workspace } from '../../../data/state/rows.js';
import type { State } from '../../../data/state/types.js';
import { bindingOf, personIn } from '../../../domain/accounts/person.js';
import type { TokenClaims, Tokens } from '../../../domain/accounts/tokens.js';
import { recordChange, recordSignIn } from '../../../domain/audit/record-audit.js';
import { requireTokenScope } from '../../../domain/connectors/gate.js';
import { removeConnectors } from '../../../domain/connectors/removal.js';
import { httpError, notFoundError } from '../../../domain/http-error.js';
import { claimedClient } from '../attempts.js';
import { invalidForm, readClientCredentials } from '../client-credentials.js';
import { isForm } from '../form.js';
import { boundScopes } from '../handle-request.js';
import { validate } from '../input.js';
import { pageOf } from '../paging.js';
import { type Call, type Route, route, type Services } from '../route.js';

const organizationJson = ({ id, name, createdAt }: Organization): ResponseOf<typeof OrganizationResponse> => ({
  id,
  name,
  created_at: createdAt,
});

const workspaceJson = ({ id, name, organizationId, createdAt }: Workspace): ResponseOf<typeof WorkspaceResponse> => ({
  id,
  name,
  organization_id: organizationId,
  created_at: createdAt,
});

/** The organizations a token can access: for a scoped token, only its own. */
const reachableOrganizations = ({
  caller: { client, kind, scope },
  services: { state },
}: Call): Promise<Organization[]> =>
  state.organizations.list(kind === 'scoped' && scope ? [scope.organizationId] : client.organizationIds);

const token = route({
  method: 'POST',
  path: '/api/v1/account/applications/token',
  operationId: 'createToken',
  summary: 'Exchange a client id and secret for a token, valid for 15 minutes.',
  access: 'anyone',
  tokenScope: null,
  body: TokenRequest,
  form: { schema: ClientCredentialsForm, read: readClientCredentials },
  response: TokenResponse,
  errors: [401, 429],
  async handle(call) {
    const { request, body, address = '', admission, requestId, services } = call;
    const { client_id, client_secret, scopes: requested } = body;
    const { attempts, state } = services;
    const client = await state.clients.verify(client_id, client_secret);
    const organizationId = client?.organizationIds[0];
    if (!client || organizationId === undefined) {
      await admission.countWrongSecret(client_id);
      await attempts.recordFailure(client_id, address);
      await recordSignIn(state.audit, {
        event: 'token',
        via: 'http',
        outcome: 'unauthorized',
        requestId,
        address: call.address,
        client: await claimedClient(state, client_id),
      });
      throw httpError(401, 'unauthorized', 'Incorrect client_id or client_secret.', {
        ...(isForm(request) && { oauthCode: 'invalid_client' }),
        headers: { 'www-authenticate': isForm(request) ? 'Basic realm="token"' : 'Bearer' },
      });
    }
    await admission.countAttempt(client.id);
    await services.storage.admitChange({ clientId: client.id, organizationId });
    const asUser = bindingOf(client.asUser, personIn(body));
    const own = boundScopes(client.scopes, asUser);
    if (isForm(request) && requested?.some((scope) => !own.includes(scope))) {
      throw invalidForm('invalid_scope', `scope exceeds the client's scopes: ${own.join(', ') || 'none'}.`);
    }
    const scopes = requested ? narrowScopes(own, requested) : own;
    const { token, expiresIn } = await issueToken(services, client, { kind: 'app', organizationId, scopes, asUser });
    await recordSignIn(state.audit, {
      event: 'token',
      via: 'http',
      outcome: 'success',
      requestId,
      address: call.address,
      client,
    });
    const only = client.organizationIds.length === 1;
    return {
      access_token: token,
      token_type: 'bearer',
      expires_in: expiresIn,
      organization_id: only ? organizationId : null,
    };
  },
});

/** Issues a token of a client and records it, so that it can be listed and revoked. */
async function issueToken(
  { state, tokens, now }: Pick<Services, 'state' | 'tokens' | 'now'>,
  { id: clientId, tokenGeneration: generation }: Client,
  claims: Omit<TokenClaims, 'clientId' | 'tokenId' | 'generation'>,
  requestedSeconds?: number,
): ReturnType<Tokens['issue']> {
  const tokenId = newId('tok');
  const issued = await tokens.issue({ ...claims, clientId, tokenId, generation }, requestedSeconds);
  const { organizationId, workspaceId = null } = claims;
  const createdAt = now();
  const expiresAt = createdAt + issued.expiresIn * 1000;
  await state.accessTokens.add({ id: tokenId, clientId, organizationId, workspaceId, createdAt, expiresAt });
  return issued;
}

/** Records the creation or deletion of a workspace in the organization's log. */
const recordWorkspace = (state: State, event: string, { id, organizationId }: Workspace): void =>
  recordChange(state.audit, { event, organizationId, workspaceId: id });

/** The workspace of this name, created if it is missing and the token allows it. */
export async function findOrCreateWorkspace(
  { caller, scope, services: { state } }: Call,
  name: string,
): Promise<Workspace> {
  const { workspaces } = state;
  const found = await workspaces.find(scope, name);
  if (found) return found;
  // A workspace token can neither see nor create other workspaces.
  if (scope.workspaceId !== undefined) throw notFoundError(`workspace '${name}'`);
  requireTokenScope(caller.scopes, 'manage');
  validate(z.object({ workspace_name: newPathLabel }), { workspace_name: name }, 'The body');
  try {
    const workspace = await workspaces.create(scope.organizationId, name);
    recordWorkspace(state, 'workspace.created', workspace);
    return workspace;
  } catch (error) {
    // Another process may have created it in the meantime.
    const made = error instanceof StateConflict ? await workspaces.find(scope, name) : undefined;
    if (made) return made;
    throw error;
  }
}

const scopedToken = route({
  method: 'POST',
  path: '/api/v1/account/applications/scoped-token',
  operationId: 'createScopedToken',
  summary:
    'Get a token for one workspace, valid for expires_in seconds (default: 20 minutes). If the workspace does not exist, it is created, which requires the manage scope.',
  access: 'account',
  tokenScope: null,
  forPersons: true,
  body: ScopedTokenRequest,
  response: ScopedTokenResponse,
  async handle(call) {
    const { body, caller, scope } = call;
    const { state } = call.services;
    const asUser = bindingOf(caller.asUser, personIn(body));
    const own = boundScopes(caller.scopes, asUser);
    const scopes = body.scopes ? narrowScopes(own, body.scopes) : defaultScopes(own);
    const workspace = await findOrCreateWorkspace(call, body.workspace_name);
    const { organizationId } = scope;
    const claims = {
      kind: 'scoped',
      organizationId,
      workspaceId: workspace.id,
      scopes,
      asUser,
    } as const;
    const { token, expiresIn } = await issueToken(call.services, caller.client, claims, body.expires_in);
    recordChange(state.audit, {
      event: 'token.scoped',
      organizationId: scope.organizationId,
      workspaceId: workspace.id,
    });
    return { token, expires_in: expiresIn, scopes };
  },
});

const me = route({
  method: 'GET',
  path: '/api/v1/account/me',
  operationId: 'getMe',
  summary: 'Get the token’s client, organizations and scopes.',
  access: 'client',
  tokenScope: null,
  forPersons: true,
  response: MeResponse,
  async handle(call) {
    const { caller, services } = call;
    const { client, kind, scope, scopes } = caller;
    const [workspace] =
      scope?.workspaceId === undefined ? [] : (await services.state.workspaces.list(scope, { limit: 1 })).rows;
    return {
      client_id: client.id,
      name: client.name,
      token: kind,
      scopes,
      ...(caller.asUser && { as_user: caller.asUser.email }),
      organization_id: scope?.organizationId ?? null,
      organizations: (await reachableOrganizations(call)).map(organizationJson),
      workspace_name: workspace?.name ?? null,
    };
  },
});

const organizations = route({
  method: 'GET',
  path: '/api/v1/organizations',
  operationId: 'listOrganizations',
  summary: 'List the token’s organizations.',
  access: 'client',
  tokenScope: null,
  forPersons: true,
  response: list(OrganizationResponse),
  handle: async (call) => ({ data: (await reachableOrganizations(call)).map(organizationJson) }),
});

const workspaces = route({
  method: 'GET',
  path: '/api/v1/workspaces',
  operationId: 'listWorkspaces',
  summary: 'List the organization’s workspaces, oldest first, or the token’s own workspace.',
  access: 'organization',
  tokenScope: 'read',
  forPersons: true,
  query: WorkspacesQuery,
  response: WorkspacesResponse,
  async handle({ query: { limit = 100, cursor, name_contains: nameContains }, scope, services: { state } }) {
    const { rows, next } = await pageOf(state.workspaces.list(scope, { limit, cursor, nameContains }));
    return { data: rows.map(workspaceJson), next };
  },
});

const createWorkspace = route({
  method: 'POST',
  path: '/api/v1/workspaces',
  operationId: 'createWorkspace',
  summary: 'Create a workspace.',
  access: 'account',
  tokenScope: 'manage',
  body: NewWorkspaceRequest,
  response: WorkspaceResponse,
  errors: [409],
  async handle({ body: { name }, scope, services: { state } }) {
    const workspace = await state.workspaces.create(scope.organizationId, name);
    recordWorkspace(state, 'workspace.created', workspace);
    return workspaceJson(workspace);
  },
});

const deleteWorkspace = route({
  method: 'DELETE',
  path: '/api/v1/workspaces/{name}',
  operationId: 'deleteWorkspace',
  summary:
    'Delete a workspace, its connectors and their replicated records. Tokens are revoked if the vendor supports it.',
  access: 'account',
  tokenScope: 'admin',
  response: DeletedResponse,
  errors: [404],
  async handle({ params: { name = '' }, scope, requestId, services }) {
    const { state, engine, report } = services;
    const workspace = await state.workspaces.find(scope, name);
    if (!workspace) throw notFoundError(`workspace '${name.slice(0, 200)}'`);
    await removeConnectors(scope, name, { ...services, report: (error) => report(error, requestId) });
    if (!(await state.workspaces.delete(scope, name))) throw notFoundError(`workspace '${name.slice(0, 200)}'`);
    recordWorkspace(state, 'workspace.deleted', workspace);
    await engine.removeOrphans();
    return { id: workspace.id, deleted: true };
  },
});

/** Routes for tokens, organizations and workspaces. */
export const accountRoutes: readonly Route[] = [
  token,
  scopedToken,
  me,
  organizations,
  workspaces,
  createWorkspace,
  deleteWorkspace,
];

/** Checks that the requester has all requested scopes. */
function narrowScopes(own: readonly TokenScope[], requested: readonly TokenScope[]): TokenScope[] {
  for (const scope of requested) requireTokenScope(own, scope);
  return tokenScopes.filter((scope) => requested.includes(scope));
}

/** Default scopes of a workspace token. */
function defaultScopes(own: readonly TokenScope[]): TokenScope[] {
  const scopes = own.filter((scope) => scope === 'read' || scope === 'write');
  if (scopes.length === 0) requireTokenScope(own, 'read');
  return scopes;
}
