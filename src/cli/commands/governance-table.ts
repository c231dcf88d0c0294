import type { CommandSpecification } from '../arguments/specification.js';

const load = async () => import('./governance.js');

const ofConnector = { workspace: 'text', name: 'text', connector_id: 'text' } as const;
const page = { limit: 'count', cursor: 'text' } as const;

/** Commands about permissions and the audit log. */
export const governanceCommands: readonly CommandSpecification[] = [
  {
    path: ['policies', 'list'],
    summary: 'List the organization’s policies.',
    flags: ['pretty'],
    examples: ['agent-connectors policies list --pretty'],
    load: async () => (await load()).listPolicies,
  },
  {
    path: ['policies', 'set'],
    summary: 'Set the policy for a workspace or connector.',
    details: [
      'Replaces the existing policy. read_only rejects all writes. allow lists the permitted actions, as entity.action or type:entity.action, with * as a wildcard. approval lists the writes that need an approved plan; with approval_by "other" (the default) a client cannot approve its own plans, with "any" it can.',
    ],
    keys: { ...ofConnector, read_only: 'boolean', allow: 'texts', approval: 'texts', approval_by: 'text' },
    flags: ['pretty', 'dry-run'],
    examples: [
      'agent-connectors policies set \'{"workspace":"sales","read_only":true}\' --dry-run',
      'agent-connectors policies set \'{"name":"our issues","approval":["issues.create"]}\'',
    ],
    load: async () => (await load()).setPolicy,
  },
  {
    path: ['policies', 'delete'],
    summary: 'Remove the policy for a workspace or connector.',
    keys: ofConnector,
    flags: ['pretty', 'dry-run'],
    examples: ['agent-connectors policies delete \'{"name":"our issues"}\''],
    load: async () => (await load()).deletePolicy,
  },
  {
    path: ['approvals', 'list'],
    summary: 'List writes pending approval.',
    details: ['status is pending (default), approved, refused, expired, executed or all.'],
    keys: { ...ofConnector, status: 'text', ...page },
    flags: ['pretty', 'all'],
    examples: [
      'agent-connectors approvals list --pretty',
      'agent-connectors approvals list \'{"status":"all","name":"our issues"}\' --all',
    ],
    load: async () => (await load()).listApprovals,
  },
  {
    path: ['approvals', 'show'],
    summary: 'Show a prepared write: parameters, request, requester and reason.',
    keys: { id: 'text' },
    flags: ['pretty'],
    examples: ['agent-connectors approvals show \'{"id":"pln_…"}\' --pretty'],
    load: async () => (await load()).showApproval,
  },
  {
    path: ['approvals', 'approve'],
    summary: 'Approve a prepared write.',
    keys: { id: 'text', reason: 'text' },
    flags: ['pretty'],
    examples: ['agent-connectors approvals approve \'{"id":"pln_…","reason":"agreed with Ada"}\''],
    load: async () => (await load()).approve,
  },
  {
    path: ['approvals', 'refuse'],
    summary: 'Refuse a prepared write that has not been executed.',
    keys: { id: 'text', reason: 'text' },
    flags: ['pretty'],
    examples: ['agent-connectors approvals refuse \'{"id":"pln_…","reason":"wrong team"}\''],
    load: async () => (await load()).refuse,
  },
  {
    path: ['approvals', 'request'],
    summary: 'Prepare a write for approval, without sending it.',
    details: ['expires_in is in seconds, 60 to 86400 (default 3600). intent is the reason, shown to the approver.'],
    keys: {
      workspace: 'text',
      name: 'text',
      id: 'text',
      entity: 'text',
      action: 'text',
      params: 'object',
      intent: 'text',
      expires_in: 'count',
    },
    flags: ['pretty'],
    examples: ['agent-connectors approvals request @create-issue.json'],
    load: async () => (await load()).requestApproval,
  },
  {
    path: ['approvals', 'execute'],
    summary: 'Execute one of your approved writes. Each can be executed only once.',
    keys: { id: 'text' },
    flags: ['pretty'],
    examples: ['agent-connectors approvals execute \'{"id":"pln_…"}\''],
    load: async () => (await load()).executeApproval,
  },
  {
    path: ['audit', 'list'],
    summary: 'List audit log entries, newest first.',
    details: ['from is a date-time, such as 2026-05-04T12:00:00Z.'],
    keys: { ...ofConnector, from: 'text', ...page },
    flags: ['pretty', 'all', 'follow'],
    examples: [
      'agent-connectors audit list',
      'agent-connectors audit list --follow',
      'agent-connectors audit list \'{"name":"our issues","from":"2026-05-04T00:00:00Z"}\' --all',
    ],
    load: async () => (await load()).listAudit,
  },
  {
    path: ['logs'],
    summary: 'Show the audit log: the same as audit list.',
    keys: { ...ofConnector, from: 'text', ...page },
    flags: ['pretty', 'all', 'follow'],
    examples: ['agent-connectors logs --follow'],
    load: async () => (await load()).listAudit,
  },
  {
    path: ['audit', 'verify'],
    summary: 'Verify the integrity of the audit log; exit code 1 if it was altered.',
    flags: ['pretty'],
    examples: ['agent-connectors audit verify'],
    load: async () => (await load()).verifyAudit,
  },
];
