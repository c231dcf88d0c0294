import * as z from 'zod';
import { isIdempotencyKey, keyProblem, maxBatchWrites } from '../call/batch.js';
import type { Plan } from '../call/plan.js';
import { anyObject, identifier, instant, PageQuery, page, type RequestOf, typed } from './fields.js';

const paths = z.array(z.string().min(1).max(500)).min(1).max(500).optional();

const plannedRequest = z.object({
  method: z.string().describe('HTTP method.'),
  url: z.string().describe('URL with its query.'),
  body: z.unknown().describe('JSON, or the type, size and SHA-256 of bytes; null if there is no body.'),
});

const plan = z.object({
  connector: z.string(),
  entity: z.string(),
  action: z.string(),
  request: plannedRequest,
  id: z.string(),
  digest: z.string(),
});

/** Body of a request to run an action. */
export const ExecuteRequest = z.strictObject({
  entity: z.string().max(200).describe('Name of the entity.'),
  action: z.string().max(200).describe('Name of the action.'),
  params: anyObject.optional().describe('Action parameters.'),
  select_fields: paths.describe('Dotted paths of the fields to keep.'),
  exclude_fields: paths.describe('Dotted paths of the fields to omit.'),
  view: z
    .enum(['concise', 'full'])
    .optional()
    .describe('concise returns only the main fields (default full). select_fields takes precedence.'),
  skip_truncation: z
    .boolean()
    .optional()
    .describe('false truncates strings in lists and searches to 200 characters (default true).'),
  raw: z.boolean().optional().describe('true adds vendor fields not in the schema.'),
  intent: z.string().max(512).optional().describe('Reason recorded in the audit log.'),
  dry_run: z
    .boolean()
    .optional()
    .describe('true prepares a write and returns the request as plan, without sending it.'),
  plan: typed<Record<string, unknown>, Plan>(anyObject)
    .optional()
    .describe('A plan from dry_run: executed exactly as planned or rejected with 409.'),
  plan_id: identifier(100)
    .optional()
    .describe(
      'Id of a prepared plan, which can be executed once. entity, action and params (if given) must match the plan.',
    ),
});

/** An action call. */
export interface ExecuteBody extends RequestOf<typeof ExecuteRequest> {}

/** Header for writes that must not be executed twice. */
export const IdempotencyKey = z.string().refine(isIdempotencyKey, 'must be 1 to 128 printable ASCII characters');

const batchWrite = z.strictObject({
  ...ExecuteRequest.pick({ entity: true, action: true, params: true, select_fields: true, exclude_fields: true }).shape,
  key: IdempotencyKey.describe('Idempotency key of this write.'),
});

/** Body of a request to run several writes. */
export const BatchRequest = z.strictObject({
  writes: z
    .array(batchWrite)
    .min(1)
    .max(maxBatchWrites)
    .superRefine((writes, { addIssue }) => {
      const problem = keyProblem(writes.map(({ key }) => key));
      if (problem) addIssue({ code: 'custom', path: [problem.index, 'key'], message: problem.message });
    })
    .describe('The writes, in the order in which they are sent.'),
  intent: z.string().max(512).optional().describe('Reason recorded in the audit log.'),
});

/** Several writes, sent in this order. */
export interface BatchBody extends RequestOf<typeof BatchRequest> {}

/** Outcome of each write. */
export const BatchResponse = z.object({
  status: z.enum(['success', 'partial']).describe('success if every write is done, otherwise partial.'),
  results: z
    .array(
      z.object({
        key: z.string().describe('Idempotency key of the write.'),
        status: z
          .enum(['done', 'failed', 'unknown', 'not_sent'])
          .describe('unknown if it may have been executed; the writes after it are not_sent.'),
        result: z
          .unknown()
          .optional()
          .describe('Result of a write that is done; null if it is a stored response and the token cannot read.'),
        error: z.record(z.string(), z.unknown()).optional().describe('Why it failed, as in an error response.'),
        resolvable: z
          .boolean()
          .optional()
          .describe(
            'Of an unknown outcome, whether repeating the request can look it up. If not, check it at the vendor, then leave the write out or, if it was not executed, give it a new key.',
          ),
      }),
    )
    .describe('One entry per write, in the order of the request.'),
});

/** Outcomes of several writes. */
export interface BatchAnswer extends z.infer<typeof BatchResponse> {}

/** Result of an action. */
export const ExecuteResponse = z.object({
  status: z.literal('success').describe('Always success; failures are errors.'),
  result: z.unknown().describe('An array for list; { data, meta } for context_store_search; otherwise an object.'),
  connector_metadata: z.record(z.string(), z.unknown()).describe('Metadata for a list.'),
  execution_metadata: z
    .object({
      connector_instance_id: z.string().describe('Id of the connector.'),
      execution_id: z.string().describe('Id of the call.'),
      execution_time_ms: z.int().describe('Duration in milliseconds.'),
    })
    .describe('Execution details.'),
});

/** The outcome: `result` is a list, a record, or `{ data, meta }` for a search. */
export interface ExecuteAnswer extends z.infer<typeof ExecuteResponse> {}

/** A prepared write that was not sent. */
export const PlannedResponse = z.object({ status: z.literal('planned'), plan });

/** A prepared write that was not sent. */
export interface PlannedWrite extends z.infer<typeof PlannedResponse> {}

/** A part of a download. */
export const ChunkResponse = z
  .object({
    content: z.string(),
    encoding: z.enum(['utf-8', 'base64']),
    bytes_returned: z.int(),
    range_requested: z.string(),
    next_range_header: z.string().nullable().describe('range_header for the next part.'),
    has_more: z.boolean(),
    content_type: z.string().nullable(),
  })
  .describe('A part of a download, if Accept is application/json.');

/** Maximum lifetime of a plan, in seconds. */
const maxPlanSeconds = 86_400;

/**
 * Body of a request to prepare a write. Shaping options apply to execute, but are accepted here because some clients
 * send them.
 */
export const PrepareRequest = z.strictObject({
  ...ExecuteRequest.pick({ select_fields: true, exclude_fields: true, skip_truncation: true }).shape,
  ...ExecuteRequest.pick({ entity: true, action: true, params: true }).shape,
  intent: z.string().max(512).optional().describe('Reason shown to the approver and recorded in the audit log.'),
  expires_in: z
    .int()
    .min(60)
    .max(maxPlanSeconds)
    .optional()
    .describe('Lifetime in seconds, 60 to 86400 (default 3600).'),
});

/** A write to prepare for approval by someone else. */
export interface PrepareWrite
  extends Omit<RequestOf<typeof PrepareRequest>, 'select_fields' | 'exclude_fields' | 'skip_truncation'> {}

/** Body of a request to approve or refuse a plan. */
export const DecisionRequest = z.strictObject({
  reason: z.string().trim().min(1).max(512).optional().describe('Reason shown to the client that prepared the plan.'),
});

const planStatus = z.enum(['pending', 'approved', 'refused', 'expired', 'executed']);

/** Status of a plan. */
export type PlanStatus = z.infer<typeof planStatus>;

/** Query parameters for listing plans. */
export const PlansQuery = z.strictObject({
  status: planStatus.optional().describe('Only plans with this status.'),
  connector_id: identifier(100).optional().describe('Only plans for this connector.'),
  ...PageQuery.shape,
});

/** Filters for plans. */
export interface ListPlans extends RequestOf<typeof PlansQuery> {}

/** A plan without its contents. */
export const PlanSummaryResponse = z.object({
  id: z.string().describe('Id of the plan.'),
  status: planStatus.describe('Status of the plan.'),
  connector_id: z.string().describe('The connector.'),
  workspace_name: z.string().describe('Name of the workspace.'),
  entity: z.string().describe('Entity of the write.'),
  action: z.string().describe('Action of the write.'),
  effect: z.string().describe('What the action does: write or destroy.'),
  requested_by: z.string().describe('Id of the client that prepared the plan, and the only one that can execute it.'),
  requested_by_name: z.string().nullable().describe('Name of that client; null if it was deleted.'),
  requested_via: z.string().describe('http, mcp or console.'),
  requested_at: instant.describe('When it was prepared; ISO 8601.'),
  expires_at: instant.describe('When it expires and can no longer be executed.'),
  approved_by: z.string().nullable().describe('Id of the client that approved it; null otherwise.'),
  approved_at: instant.nullable().describe('When it was approved; null otherwise.'),
  refused_by: z.string().nullable().describe('Id of the client that refused it; null otherwise.'),
  refused_at: instant.nullable().describe('When it was refused; null otherwise.'),
  decided_by_name: z.string().nullable().describe('Name of the client that decided; null until then.'),
  executed_at: instant.nullable().describe('When it was executed; null until then.'),
});

/** A write that the service has prepared. */
export interface PlanSummary extends z.infer<typeof PlanSummaryResponse> {}

/** A prepared write. */
export const PlanResponse = z.object({
  ...PlanSummaryResponse.shape,
  intent: z.string().nullable().describe('The requester’s stated reason.'),
  reason: z.string().nullable().describe('Reason for the approval or refusal.'),
  preview: z
    .object({
      summary: z.string().describe('Summary of the change.'),
      params: z.record(z.string(), z.unknown()).describe('Action parameters.'),
      request: plannedRequest.describe('The first request that changes data, with credentials omitted.'),
    })
    .describe('The change.'),
});

/** A plan with its contents. */
export interface PlanDetails extends z.infer<typeof PlanResponse> {}

/** A page of plans, without their contents. */
export const PlansResponse = page(PlanSummaryResponse);
