import { DeletedResponse, GrantResponse, list, type ResponseOf } from 'agent-connectors/wire';
import { instantOf } from '../../../common/moment.js';
import type { Grant } from '../../../data/state/oauth-types.js';
import { recordChange } from '../../../domain/audit/record-audit.js';
import { notFoundError } from '../../../domain/http-error.js';
import { type Call, type Route, route } from '../route.js';

const grantJson = (grant: Grant, client_name: string | null): ResponseOf<typeof GrantResponse> => ({
  client_name,
  id: grant.id,
  app_id: grant.appId,
  app_name: grant.appName,
  redirect_uri: grant.redirectUri,
  resource: grant.resource,
  client_id: grant.clientId,
  workspace_name: grant.workspaceName,
  scopes: grant.scopes,
  connector_ids: grant.connectorIds,
  created_at: instantOf(grant.createdAt),
  last_used_at: instantOf(grant.usedAt),
  expires_at: instantOf(grant.expiresAt),
});

/** Determines whose grants the caller sees: its own or, with the `admin` scope, the whole organization's. */
const ownerOf = ({ caller: { client, scopes } }: Call): string | undefined =>
  scopes.includes('admin') ? undefined : client.id;

const listGrants = route({
  method: 'GET',
  path: '/api/v1/oauth/grants',
  operationId: 'listGrants',
  summary: 'List apps connected with OAuth: the caller’s, or all in the organization with the admin scope.',
  access: 'account',
  tokenScope: null,
  response: list(GrantResponse),
  async handle(call) {
    const { grants, clients } = call.services.state;
    const found = await grants.list(call.scope, ownerOf(call));
    const ids = [...new Set(found.map(({ clientId }) => clientId))];
    const names = new Map(await Promise.all(ids.map(async (id) => [id, (await clients.get(id))?.name] as const)));
    return { data: found.map((grant) => grantJson(grant, names.get(grant.clientId) ?? null)) };
  },
});

const revoke = route({
  method: 'DELETE',
  path: '/api/v1/oauth/grants/{id}',
  operationId: 'revokeGrant',
  summary: 'Disconnect an app. Its tokens are revoked immediately.',
  access: 'account',
  tokenScope: null,
  response: DeletedResponse,
  errors: [404],
  async handle(call) {
    const { params, scope, services } = call;
    const { id = '' } = params;
    const { grants, audit } = services.state;
    const grant = await grants.revoke(scope, id, ownerOf(call));
    if (!grant) throw notFoundError(`grant '${id.slice(0, 100)}'`);
    const { organizationId, workspaceId } = grant;
    recordChange(audit, { event: 'oauth.revoked', organizationId, workspaceId, subject: grant.id });
    return { id: grant.id, deleted: true };
  },
});

/** Routes for connected apps. */
export const grantRoutes: readonly Route[] = [listGrants, revoke];
