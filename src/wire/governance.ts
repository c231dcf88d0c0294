import * as z from 'zod';
import { identifier, list, page, type RequestOf } from './fields.js';

const approvalBy = z.enum(['any', 'other']);

/** Who may approve a plan: anyone with the `write` scope (`any`), or anyone except the requester (`other`). */
export type ApprovalBy = z.infer<typeof approvalBy>;

/** A policy. */
export const PolicyResponse = z.object({
  workspace_name: z.string().describe('Name of the workspace.'),
  connector_id: z.string().nullable().describe('Null if it applies to every connector in the workspace.'),
  read_only: z.boolean().describe('Rejects all writes.'),
  allow: z
    .array(z.string())
    .nullable()
    .describe('Allowed actions, as entity.action or type:entity.action with * as a wildcard; null for all.'),
  approval: z
    .array(z.string())
    .nullable()
    .describe('Writes that require an approved plan, using the same patterns; null for none.'),
  approval_by: approvalBy.describe('Whether the client that prepared a plan can approve it (any) or not (other).'),
  updated_at: z.string().describe('When it was last changed; ISO 8601.'),
});

/** What calls through a connector, or through all connectors in a workspace, are allowed to do. */
export interface Policy extends z.infer<typeof PolicyResponse> {}

/** Policies. */
export const PoliciesResponse = list(PolicyResponse);

const patterns = z.array(identifier(300, 3)).max(200).nullable().optional();

/** Body of a request to set a policy. */
export const PolicyRequest = z.strictObject({
  workspace_name: identifier(200).describe('Name of the workspace.'),
  connector_id: identifier(100).optional().describe('Omit to apply to every connector in the workspace.'),
  read_only: z.boolean().optional().describe('Rejects all writes (default false).'),
  allow: patterns.describe(
    'Allowed actions, as entity.action or type:entity.action with * as a wildcard; null or omitted for all.',
  ),
  approval: patterns.describe(
    'Writes that require an approved plan, using the same patterns; null or omitted for none.',
  ),
  approval_by: approvalBy.optional().describe('other (default): a client cannot approve its own plans; any: it can.'),
});

/** A policy that replaces the current one; if it has no limits, the policy is removed. */
export interface PutPolicy extends RequestOf<typeof PolicyRequest> {}

/** An audit log entry. Parameters are stored only as a digest. */
export const AuditEntryResponse = z.object({
  seq: z.int().describe('Sequence number in the organization’s log, without gaps.'),
  at: z.string().describe('When it was written; ISO 8601.'),
  event: z
    .string()
    .describe(
      'execute, execute.access_ended (access ended after a request was sent), execute.replayed (a stored response was requested), sign_in, sign_out, token, or a configuration change, such as connector.created.',
    ),
  workspace_id: z.string().nullable().describe('Id of the workspace.'),
  connector_id: z.string().nullable().describe('Id of the connector.'),
  connector_type: z.string().nullable().describe('Type of the connector.'),
  client_id: z.string().nullable().describe('Id of the calling client; null for the service itself.'),
  via: z.string().describe('http, mcp, console, setup, cli for operator commands, or service for background work.'),
  entity: z.string().nullable().describe('Name of the entity.'),
  action: z.string().nullable().describe('Name of the action.'),
  effect: z.string().nullable().describe('read, write or destroy.'),
  params_digest: z
    .string()
    .nullable()
    .describe('A keyed digest of the parameters. Identical parameters have the same digest.'),
  intent: z.string().nullable().describe('The caller’s stated reason.'),
  outcome: z.string().describe('begun, success, or an error code.'),
  begun_as: z.int().nullable().describe('For an outcome, the seq of the entry that recorded the start.'),
  duration_ms: z.int().nullable().describe('Duration in milliseconds.'),
  request_id: z.string().nullable().describe('Id of the request.'),
  address: z.string().nullable().describe('Remote address of the request.'),
  subject: z
    .string()
    .nullable()
    .describe('The id of the affected plan, client or OAuth grant, if the subject is not a connector.'),
  previous: z.string().describe('Digest of the previous entry.'),
  digest: z.string().describe('HMAC-SHA-256 of this entry and the previous one.'),
});

/** One audit log entry. */
export interface AuditEntry extends z.infer<typeof AuditEntryResponse> {}

/** A page of audit log entries. */
export const AuditResponse = page(AuditEntryResponse);

/** Query parameters for listing the audit log. */
export const AuditQuery = z.strictObject({
  connector_id: identifier(100).optional().describe('Only entries for this connector.'),
  outcome: z.enum(['success', 'failure']).optional().describe('Only successes or only failures.'),
  from: z.iso
    .datetime({ offset: true, abort: true, error: 'must be a date-time such as 2026-05-04T12:00:00Z' })
    .optional()
    .describe('Only entries at or after this time.'),
  limit: z.coerce.number<number>().int().min(1).max(1000).optional().describe('1 to 1000 (default 100).'),
  cursor: identifier(100).optional().describe('The value of next from the previous page.'),
});

/** Filters for the audit log. */
export interface ListAudit extends RequestOf<typeof AuditQuery> {}

/** Whether the audit log is intact. */
export const AuditVerdictResponse = z.object({
  entries: z.int().describe('Number of entries checked.'),
  first: z.int().nullable().describe('The oldest entry checked; older ones were removed by retention.'),
  head: z
    .object({ seq: z.int().describe('Its sequence number.'), digest: z.string().describe('Its digest.') })
    .nullable()
    .describe('The newest entry. Store it on another host to detect truncation later.'),
  broken: z
    .object({ seq: z.int().describe('Its sequence number.'), reason: z.string().describe('What is wrong with it.') })
    .nullable()
    .describe('The first altered or missing entry; null if there is none.'),
});

/** Result of verifying the audit log. */
export interface AuditVerdict extends z.infer<typeof AuditVerdictResponse> {}
