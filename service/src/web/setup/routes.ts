import { NewSetupRequest, NewSetupResponse, RenewRequest, SetupResponse } from 'agent-connectors/wire';
import type * as z from 'zod';
import { instantOf } from '../../common/moment.js';
import type { ConnectSession } from '../../data/state/setup-types.js';
import { recordChange } from '../../domain/audit/record-audit.js';
import type { Definitions } from '../../domain/connectors/definitions.js';
import { fieldError, HttpError, notFoundError } from '../../domain/http-error.js';
import { checkReplication, checkSettings, resolveType } from '../api/connector-input.js';
import { requireConnector } from '../api/handle-request.js';
import { invalidError } from '../api/input.js';
import { type Route, route } from '../api/route.js';
import type { SetupDependencies } from './dependencies.js';
import { type PresetConfig, saveDraft } from './draft.js';

/** Validates the program's presets; the user picks the rest. */
export function readPreset(
  type: string | null,
  body: Pick<z.output<typeof NewSetupRequest>, 'replication_config' | 'settings'>,
  definitions: Definitions,
): PresetConfig | undefined {
  const { replication_config: replicationConfig, settings } = body;
  if (replicationConfig === undefined && settings === undefined) return undefined;
  if (type === null)
    throw invalidError('The request', [
      fieldError('connector_type', 'is required if replication_config or settings is set'),
    ]);
  const definition = definitions.of(type);
  const preset = { replicationConfig: replicationConfig ?? {}, settings: settings ?? {} };
  checkSettings(definition, preset.settings);
  try {
    checkReplication(definition, preset.replicationConfig);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const isGiven = (field: string) => Object.hasOwn(preset.replicationConfig, field.split('.')[1] ?? '');
    const errors = error.errors?.filter(({ field }) => isGiven(field)) ?? [];
    if (errors.length > 0) throw invalidError(definition.manifest.title, errors);
  }
  return preset;
}

/** A setup that returns to the console. */
const consoleSession = (renews: boolean, anyAccount: boolean): ConnectSession => ({
  returnUrl: '/console',
  state: '',
  nonce: '',
  asks: !renews,
  renews,
  anyAccount,
});

/** Routes that start a setup and read its status. */
export function setupRoutes({
  state,
  definitions,
  setups,
  address,
}: Pick<SetupDependencies, 'state' | 'definitions' | 'setups' | 'address'>): Route[] {
  const path = '/api/v1/integrations/connectors/setup';
  const createdJson = ({ row, token }: Awaited<ReturnType<typeof setups.begin>>) => ({
    setup_url: `${address.url}/setup/${token}`,
    setup_id: row.id,
    expires_at: instantOf(row.expiresAt),
  });
  return [
    route({
      method: 'POST',
      path,
      operationId: 'beginSetup',
      summary: 'Start a setup. Returns a URL, valid for 30 minutes, where a user connects an account.',
      access: 'organization',
      tokenScope: 'manage',
      body: NewSetupRequest,
      response: NewSetupResponse,
      errors: [404, 409],
      async handle({ body, scope, caller, admission }) {
        const { workspace_name, name } = body;
        await admission.countAttempt(caller.client.id);
        const type = resolveType(body, definitions) ?? null;
        const preset = readPreset(type, body, definitions);
        const workspace = await state.workspaces.find(scope, workspace_name);
        if (!workspace) throw notFoundError(`workspace '${workspace_name}'`);
        const connect = body.console ? consoleSession(false, false) : undefined;
        const begun = await setups.begin(scope, {
          workspaceId: workspace.id,
          clientId: caller.client.id,
          name,
          type,
          connect,
        });
        if (preset) await saveDraft(setups, begun.row.id, { preset });
        await recordChange(state.audit, {
          event: 'setup.begun',
          organizationId: scope.organizationId,
          workspaceId: workspace.id,
        });
        return createdJson(begun);
      },
    }),
    route({
      method: 'POST',
      path: '/api/v1/integrations/connectors/{id}/renew',
      operationId: 'renewConnector',
      summary: 'Start a setup that only replaces a connector’s credentials. Returns a URL for the user’s browser.',
      access: 'organization',
      tokenScope: 'manage',
      body: RenewRequest,
      optionalBody: true,
      response: NewSetupResponse,
      errors: [404],
      async handle(call) {
        const { body, scope, caller, admission } = call;
        await admission.countAttempt(caller.client.id);
        const { name, type, workspaceId } = await requireConnector(call);
        const connect = consoleSession(true, body.any_account ?? false);
        const begun = await setups.begin(scope, { workspaceId, clientId: caller.client.id, name, type, connect });
        await recordChange(state.audit, { event: 'setup.begun', organizationId: scope.organizationId, workspaceId });
        return createdJson(begun);
      },
    }),
    route({
      method: 'GET',
      path: `${path}/{setup_id}`,
      operationId: 'getSetup',
      summary: 'Get the status of a setup.',
      access: 'organization',
      tokenScope: 'manage',
      response: SetupResponse,
      errors: [404],
      async handle({ params: { setup_id = '' }, scope }) {
        const row = await setups.get(scope, setup_id);
        if (!row) throw notFoundError(`setup '${setup_id.slice(0, 100)}'`);
        const { status, connectorId, error } = row;
        return {
          status,
          ...(status === 'done' && connectorId !== null && { connector_id: connectorId }),
          ...(error !== null && { error }),
        };
      },
    }),
  ];
}
