import { type Organization, type Scope, StateConflict, type Workspace } from '../../../data/state/rows.js';
import type { State } from '../../../data/state/types.js';
import { noteSignIn } from '../../../domain/audit/deeds.js';
import { absent, refusal } from '../../../domain/refusal.js';
import { PageQuery, pageOf } from '../paging.js';
import { type Call, type Route, route } from '../route.js';
import {
  DeletedAnswer,
  MeAnswer,
  NewWorkspaceRequest,
  OrganizationsAnswer,
  ScopedTokenAnswer,
  ScopedTokenRequest,
  TokenAnswer,
  TokenRequest,
  WorkspaceAnswer,
  WorkspacesAnswer,
} from '../schemas.js';

const shownOrganization = ({ id, name, createdAt }: Organization) => ({ id, name, created_at: createdAt });

const shownWorkspace = ({ id, name, organizationId, createdAt }: Workspace) => ({
  id,
  name,
  organization_id: organizationId,
  created_at: createdAt,
});

/** The organisations that a token reaches: a scoped one its own alone. */
const reached = ({ caller: { client, kind, scope }, services: { state } }: Call): Promise<Organization[]> =>
  state.organizations.list(kind === 'scoped' && scope ? [scope.organizationId] : client.organizationIds);

const token = route({
  method: 'POST',
  path: '/api/v1/account/applications/token',
  operationId: 'createToken',
  summary: 'A token for a client id and its secret, good for 15 minutes.',
  access: 'anyone',
  body: TokenRequest,
  answer: TokenAnswer,
  errors: [401, 429],
  async handle(call) {
    const { body, address = '', visit, requestId, services } = call;
    const { client_id, client_secret } = body;
    const { attempts, state, tokens } = services;
    visit.attempt(client_id);
    attempts.check(client_id, address);
    const client = await state.clients.verify(client_id, client_secret);
    const organizationId = client?.organizationIds[0];
    if (!client || organizationId === undefined) {
      attempts.failed(client_id, address);
      await noteSignIn(state.audit, {
        ...{ event: 'token', via: 'http', outcome: 'unauthorized', requestId, address: call.address },
        client: await state.clients.get(client_id),
      });
      throw refusal(401, 'unauthorized', 'The client_id or the client_secret is wrong.', {
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    const { token, expiresIn } = await tokens.issue({ kind: 'app', clientId: client.id, organizationId });
    const only = client.organizationIds.length === 1;
    return {
      access_token: token,
      token_type: 'bearer',
      expires_in: expiresIn,
      organization_id: only ? organizationId : null,
    };
  },
});

async function findOrCreate({ workspaces }: State, scope: Scope, name: string): Promise<Workspace> {
  const found = await workspaces.find(scope, name);
  if (found) return found;
  try {
    return await workspaces.create(scope.organizationId, name);
  } catch (error) {
    // Another process may have made it meanwhile.
    const made = error instanceof StateConflict ? await workspaces.find(scope, name) : undefined;
    if (made) return made;
    throw error;
  }
}

const scopedToken = route({
  method: 'POST',
  path: '/api/v1/account/applications/scoped-token',
  operationId: 'createScopedToken',
  summary: 'A token that reaches one workspace alone, good for 20 minutes; the workspace is made if it is not there.',
  access: 'account',
  body: ScopedTokenRequest,
  answer: ScopedTokenAnswer,
  async handle({ body: { workspace_name }, caller, scope, services: { state, tokens } }) {
    const workspace = await findOrCreate(state, scope, workspace_name);
    const { token } = await tokens.issue({
      kind: 'scoped',
      clientId: caller.client.id,
      organizationId: scope.organizationId,
      workspaceId: workspace.id,
    });
    return { token };
  },
});

const me = route({
  method: 'GET',
  path: '/api/v1/account/me',
  operationId: 'getMe',
  summary: 'Whose token this is, and what it reaches.',
  access: 'client',
  answer: MeAnswer,
  async handle(call) {
    const { caller, services } = call;
    const { client, kind, scope } = caller;
    const [workspace] =
      scope?.workspaceId === undefined ? [] : (await services.state.workspaces.list(scope, { limit: 1 })).rows;
    return {
      client_id: client.id,
      name: client.name,
      token: kind,
      organization_id: scope?.organizationId ?? null,
      organizations: (await reached(call)).map(shownOrganization),
      workspace_name: workspace?.name ?? null,
    };
  },
});

const organizations = route({
  method: 'GET',
  path: '/api/v1/organizations',
  operationId: 'listOrganizations',
  summary: 'The organizations that the token reaches.',
  access: 'client',
  answer: OrganizationsAnswer,
  handle: async (call) => ({ data: (await reached(call)).map(shownOrganization) }),
});

const workspaces = route({
  method: 'GET',
  path: '/api/v1/workspaces',
  operationId: 'listWorkspaces',
  summary: 'The workspaces of the organization, the oldest first, or the one that the token is for.',
  access: 'organization',
  query: PageQuery,
  answer: WorkspacesAnswer,
  async handle({ query: { limit = 100, cursor }, scope, services: { state } }) {
    const { rows, next } = await pageOf(state.workspaces.list(scope, { limit, cursor }));
    return { data: rows.map(shownWorkspace), next };
  },
});

const createWorkspace = route({
  method: 'POST',
  path: '/api/v1/workspaces',
  operationId: 'createWorkspace',
  summary: 'Make a workspace.',
  access: 'account',
  body: NewWorkspaceRequest,
  answer: WorkspaceAnswer,
  errors: [409],
  handle: async ({ body: { name }, scope, services: { state } }) =>
    shownWorkspace(await state.workspaces.create(scope.organizationId, name)),
});

const deleteWorkspace = route({
  method: 'DELETE',
  path: '/api/v1/workspaces/{name}',
  operationId: 'deleteWorkspace',
  summary: 'Delete a workspace with its connectors, their credentials and their replicated records.',
  access: 'account',
  answer: DeletedAnswer,
  errors: [404],
  async handle({ params: { name = '' }, scope, services: { state, engine } }) {
    const workspace = await state.workspaces.find(scope, name);
    if (!workspace || !(await state.workspaces.delete(scope, name))) throw absent(`workspace '${name.slice(0, 200)}'`);
    await engine.forget();
    return { id: workspace.id, deleted: true };
  },
});

/** Tokens, organisations and workspaces. */
export const accountRoutes: readonly Route[] = [
  token,
  scopedToken,
  me,
  organizations,
  workspaces,
  createWorkspace,
  deleteWorkspace,
];
