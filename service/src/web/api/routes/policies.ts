import { PoliciesResponse, PolicyRequest, type PolicyResponse, type ResponseOf } from 'agent-connectors/wire';
import type { Policy } from '../../../data/state/policy-types.js';
import { recordChange } from '../../../domain/audit/record-audit.js';
import { approvalFault, patternFault } from '../../../domain/connectors/action-pattern.js';
import { fieldError, notFoundError } from '../../../domain/http-error.js';
import { invalidError } from '../input.js';
import { type Route, route } from '../route.js';

const policyJson = ({
  workspaceName,
  connectorId,
  readOnly,
  allow,
  approval,
  approvalBy,
  updatedAt,
}: Policy): ResponseOf<typeof PolicyResponse> => ({
  workspace_name: workspaceName,
  connector_id: connectorId,
  read_only: readOnly,
  allow,
  approval,
  approval_by: approvalBy,
  updated_at: updatedAt,
});

const list = route({
  method: 'GET',
  path: '/api/v1/policies',
  operationId: 'listPolicies',
  summary: 'List policies.',
  access: 'organization',
  tokenScope: 'admin',
  response: PoliciesResponse,
  handle: async ({
    scope,
    services: {
      state: { policies },
    },
  }) => ({ data: (await policies.list(scope)).map(policyJson) }),
});

const put = route({
  method: 'PUT',
  path: '/api/v1/policies',
  operationId: 'putPolicy',
  summary: 'Set the policy of a connector or workspace. Passing an empty policy removes the existing one.',
  access: 'account',
  tokenScope: 'admin',
  body: PolicyRequest,
  response: PoliciesResponse,
  errors: [404],
  async handle({ body, scope, services: { state, definitions } }) {
    const { policies, audit } = state;
    const { workspace_name, connector_id: connectorId = null, read_only: readOnly = false, allow = null } = body;
    const { approval_by: approvalBy = 'other' } = body;
    const approval = body.approval?.length ? body.approval : null;
    const workspace = await state.workspaces.find(scope, workspace_name);
    if (!workspace) throw notFoundError(`workspace '${workspace_name}'`);
    const row = connectorId === null ? undefined : await state.connectors.get(scope, connectorId);
    if (connectorId !== null && row?.workspaceId !== workspace.id) throw notFoundError(`connector '${connectorId}'`);
    const types = row ? [definitions.of(row.type)] : definitions.all;
    const faultsOf = (field: string, patterns: readonly string[] | null, faultOf: typeof patternFault) =>
      (patterns ?? []).flatMap((pattern, index) => {
        const fault = faultOf(pattern, types);
        return fault === undefined ? [] : [fieldError(`${field}.${index}`, fault.replace(/\.$/, ''))];
      });
    const faults = [...faultsOf('allow', allow, patternFault), ...faultsOf('approval', approval, approvalFault)];
    if (faults.length > 0) throw invalidError('The policy', faults);
    const rule = readOnly || allow || approval ? { readOnly, allow, approval, approvalBy } : null;
    const target = { organizationId: scope.organizationId, workspaceId: workspace.id, connectorId };
    await policies.put(target, rule);
    recordChange(audit, { event: 'policy.changed', ...scope, workspaceId: workspace.id, row, params: rule ?? {} });
    return { data: (await policies.list({ ...scope, workspaceId: workspace.id })).map(policyJson) };
  },
});

/** Policy routes. */
export const policyRoutes: readonly Route[] = [list, put];
