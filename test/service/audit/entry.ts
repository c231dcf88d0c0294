import type { State } from 'agent-connectors-service';

type NewAuditEntry = Parameters<State['audit']['record']>[0];

/** An entry before it is appended. */
export const auditEntry = (organization_id: string, more: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  organization_id,
  event: 'execute',
  workspace_id: 'ws_1',
  connector_id: 'con_1',
  connector_type: 'linear',
  client_id: 'cli_1',
  via: 'http',
  entity: 'issues',
  action: 'list',
  effect: 'read',
  params_digest: 'd',
  intent: null,
  outcome: 'success',
  begun_as: null,
  duration_ms: 3,
  request_id: 'r',
  address: null,
  subject: null,
  ...more,
});
