import { randomBytes } from 'node:crypto';
import { authorizableModes } from 'agent-connectors/setup';
import {
  ConfirmRequest,
  ConnectSessionRequest,
  ConnectSessionResponse,
  ConnectSessionStateResponse,
  type ResponseOf,
} from 'agent-connectors/wire';
import type * as z from 'zod';
import { instantOf } from '../../common/moment.js';
import { type ConnectorRow, type Scope, StateConflict } from '../../data/state/rows.js';
import type { ConnectSession, SetupRow } from '../../data/state/setup-types.js';
import { recordChange } from '../../domain/audit/record-audit.js';
import type { Definition } from '../../domain/connectors/definitions.js';
import { fieldError, httpError, notFoundError } from '../../domain/http-error.js';
import { resolveType } from '../api/connector-input.js';
import { invalidError } from '../api/input.js';
import { returnOriginOf } from '../api/return-url.js';
import { type Call, type Route, route } from '../api/route.js';
import { findOrCreateWorkspace } from '../api/routes/account.js';
import { isOperators, sessionMethods } from './connect-methods.js';
import type { SetupDependencies } from './dependencies.js';
import { readDraft, saveDraft } from './draft.js';
import { finish } from './finish.js';
import { variableName } from './oauth-clients.js';
import { isSignatureOf } from './result.js';
import { readPreset } from './routes.js';

/** Default lifetime of a session URL, in milliseconds. */
const defaultLifetimeMs = 1_800_000;

type SessionBody = z.output<typeof ConnectSessionRequest>;

const fault = (field: string, message: string, hint?: string) =>
  invalidError('The request', [fieldError(field, message)], hint);

async function requireReturnUrl({ body, scope, caller, services: { state } }: Call<SessionBody>): Promise<void> {
  const origins = await state.connectClients.origins(scope, caller.client.id);
  const origin = returnOriginOf(body.return_url);
  if (origin === undefined) {
    throw fault('return_url', 'must be an https URL, or http on localhost, without credentials or fragment');
  }
  if (!origins.includes(origin)) {
    const registration = JSON.stringify({ client_id: caller.client.id, origins: [...origins, origin] });
    const hint = `agent-connectors connect origins '${registration}'`;
    throw fault('return_url', 'has an origin that is not registered for the client', hint);
  }
  if ((await state.connectClients.keys(scope, caller.client.id)).length > 0) return;
  throw httpError(409, 'conflict', 'The client has no signing key.', {
    hint: 'Create one with agent-connectors connect key or POST /api/v1/clients/{id}/connect/key.',
  });
}

/** The connector to reconnect. */
async function existingConnector({ body, scope, services }: Call<SessionBody>): Promise<ConnectorRow | undefined> {
  const { connector_id: id, connector_type, workspace_name } = body;
  if ((id === undefined) === (connector_type === undefined)) {
    throw fault('connector_type', 'or connector_id is required, but not both');
  }
  if (id === undefined) return undefined;
  const row = await services.state.connectors.get(scope, id);
  // The workspace must match, so that a product never gives one user another user's connector.
  if (row?.workspaceName !== workspace_name) throw notFoundError(`connector '${id}'`);
  return row;
}

function checkMethods({ methods, scopes }: SessionBody, definition: Definition, dependencies: SetupDependencies): void {
  const { description, manifest } = definition;
  const known = description.auth.map(({ mode }) => mode);
  const unknown = methods?.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw fault(
      'methods',
      `'${unknown}' is not a credential mode of ${manifest.title}; its modes are ${known.join(', ')}`,
    );
  }
  const offered = sessionMethods(definition, dependencies.oauthClients, { methods, scopes });
  const consentModes = authorizableModes(manifest);
  const hasScopes = scopes !== undefined && methods === undefined && consentModes.length > 0;
  const isUnavailable = hasScopes
    ? !offered.some(isOperators)
    : offered.length === 0 || methods?.some((name) => !offered.some(({ mode }) => mode === name));
  if (isUnavailable) {
    const prefix = `AGENT_CONNECTORS_OAUTH_${variableName(manifest.name)}`;
    throw httpError(409, 'conflict', `The service has no OAuth application for ${manifest.title}.`, {
      hint: `The operator must register one with the vendor and set ${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET. To use other credentials instead, set methods and omit scopes.`,
    });
  }
  if (scopes && !offered.some(({ mode }) => consentModes.includes(mode))) {
    throw fault('scopes', 'is allowed only if the user signs in with OAuth');
  }
}

const sessionOf = (body: SessionBody, renews: boolean): ConnectSession => ({
  returnUrl: body.return_url,
  state: body.state,
  nonce: randomBytes(16).toString('base64url'),
  renews,
  methods: body.methods,
  scopes: body.scopes,
  locale: body.locale,
  user: body.user,
  asks: body.replicate === 'ask',
  anyAccount: body.any_account ?? false,
  brand: {
    name: body.brand.name,
    logo: body.brand.logo,
    color: body.brand.color,
    supportUrl: body.brand.support_url,
  },
});

const sessionJson = ({ status, connectorId, error }: SetupRow): ResponseOf<typeof ConnectSessionStateResponse> => ({
  status: status === 'done' ? 'connected' : status,
  ...(status === 'done' && connectorId !== null && { connector_id: connectorId }),
  ...(error !== null && { error }),
});

/** Sessions in which a product's user connects an account and returns. */
export function sessionRoutes(dependencies: SetupDependencies): Route[] {
  const { definitions, setups, address } = dependencies;
  const path = '/api/v1/connect/sessions';

  /** Starts a session; a default name gets a number if it is taken. */
  const begin = async (call: Call<SessionBody>, type: string, row: ConnectorRow | undefined) => {
    const { body, scope, caller } = call;
    const { id: workspaceId } = await findOrCreateWorkspace(call, body.workspace_name);
    const title = row?.name ?? body.name ?? definitions.of(type).manifest.title;
    const connect = sessionOf(body, row !== undefined);
    const lifetimeMs = body.expires_in === undefined ? defaultLifetimeMs : body.expires_in * 1000;
    for (let number = 1; ; number++) {
      const name = number === 1 ? title : `${title} ${number}`;
      try {
        return await setups.begin(scope, { workspaceId, clientId: caller.client.id, name, type, connect, lifetimeMs });
      } catch (error) {
        if (!(error instanceof StateConflict) || row || body.name !== undefined || number === 100) throw error;
      }
    }
  };

  const requireSession = async (scope: Scope, id: string): Promise<SetupRow> => {
    const row = await setups.get(scope, id);
    if (!row?.connect) throw notFoundError(`connect session '${id.slice(0, 100)}'`);
    return row;
  };

  return [
    route({
      method: 'POST',
      path,
      operationId: 'createConnectSession',
      summary:
        'Start a connect session, in which a product’s user connects an account. Returns a URL for the user’s browser.',
      access: 'organization',
      tokenScope: 'manage',
      body: ConnectSessionRequest,
      response: ConnectSessionResponse,
      errors: [404, 409],
      async handle(call) {
        const { body, scope, caller, admission, services } = call;
        await admission.countAttempt(caller.client.id);
        await requireReturnUrl(call);
        const existing = await existingConnector(call);
        const type = existing?.type ?? resolveType(body, definitions)!;
        checkMethods(body, definitions.of(type), dependencies);
        const { replicate } = body;
        const replication_config =
          typeof replicate === 'object' ? replicate : replicate === false ? { entities: [] } : undefined;
        const isNone = replicate === false;
        const preset = readPreset(type, { ...body, replication_config: isNone ? {} : replication_config }, definitions);
        const { row, token } = await begin(call, type, existing);
        if (preset) {
          const kept = isNone ? { ...preset, replicationConfig: { entities: [] } } : preset;
          await saveDraft(setups, row.id, { preset: kept });
        }
        await recordChange(services.state.audit, { event: 'setup.begun', ...scope, workspaceId: row.workspaceId });
        return {
          url: `${address.url}/setup/${token}`,
          id: row.id,
          nonce: row.connect!.nonce,
          expires_at: instantOf(row.expiresAt),
        };
      },
    }),
    route({
      method: 'GET',
      path: `${path}/{id}`,
      operationId: 'getConnectSession',
      summary: 'Get the status of a connect session.',
      access: 'organization',
      tokenScope: 'manage',
      response: ConnectSessionStateResponse,
      errors: [404],
      async handle({ params: { id = '' }, scope }) {
        return sessionJson(await requireSession(scope, id));
      },
    }),
    route({
      method: 'POST',
      path: `${path}/{id}/confirm`,
      operationId: 'confirmConnectSession',
      summary:
        'Activate an unconfirmed session’s credentials once the result has reached the user who started the session.',
      access: 'organization',
      tokenScope: 'manage',
      body: ConfirmRequest,
      response: ConnectSessionStateResponse,
      errors: [404, 409],
      async handle({ params: { id = '' }, body, scope, requestId }) {
        const row = await requireSession(scope, id);
        if (row.status === 'unconfirmed') {
          if (!(await isSignatureOf(dependencies, row, body.signature))) {
            throw fault('signature', 'does not match the session’s result');
          }
          const { connection, preset } = await readDraft(setups, id);
          if (connection && preset) {
            await finish(
              dependencies,
              row,
              { type: row.type!, connection, ...preset },
              { from: row.status, requestId },
            );
          }
        }
        // Confirmed twice: the session is already complete.
        const now = await requireSession(scope, id);
        if (now.status === 'done') return sessionJson(now);
        throw httpError(409, 'conflict', `The connect session cannot be confirmed: its status is '${now.status}'.`, {
          hint: 'Start a new connect session.',
        });
      },
    }),
  ];
}
