import * as z from 'zod';
import type { Grant } from '../../../data/state/oauth-types.js';
import { recordChange } from '../../../domain/audit/record-audit.js';
import { notFoundError } from '../../../domain/http-error.js';
import { type Call, type Route, route } from '../route.js';
import { DeletedResponse, instant } from '../schemas.js';

const GrantResponse = z.object({
  id: z.string(),
  app_id: z.string().describe('Registered app id, or the URL of its metadata document.'),
  app_name: z.string().describe('Name given by the app; not verified.'),
  redirect_uri: z.string(),
  resource: z.enum(['mcp', 'api']).describe('Scopes of its tokens.'),
  client_id: z.string().describe('The client that the user was signed in as.'),
  client_name: z.string().nullable().describe('Name of that client.'),
  workspace_name: z.string(),
  scopes: z.array(z.string()),
  connector_ids: z.array(z.string()).nullable().describe('Null means all connectors in the workspace.'),
  created_at: instant,
  last_used_at: instant.nullable().describe('Precise to the minute.'),
  expires_at: instant.describe('Extended when the app is used.'),
});

const at = (ms: number): string => new Date(ms).toISOString();

const grantJson = (grant: Grant, client_name: string | null) => ({
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
  created_at: at(grant.createdAt),
  last_used_at: grant.usedAt === null ? null : at(grant.usedAt),
  expires_at: at(grant.expiresAt),
});

/** Determines whose grants the caller sees: its own or, with the `admin` scope, the whole organization's. */
const ownerOf = ({ caller: { client, scopes } }: Call): string | undefined =>
  scopes.includes('admin') ? undefined : client.id;

const list = route({
  method: 'GET',
  path: '/api/v1/oauth/grants',
  operationId: 'listGrants',
  summary: 'List apps connected with OAuth: the caller’s, or all in the organization with the admin scope.',
  access: 'account',
  tokenScope: null,
  response: z.object({ data: z.array(GrantResponse) }),
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
export const grantRoutes: readonly Route[] = [list, revoke];
