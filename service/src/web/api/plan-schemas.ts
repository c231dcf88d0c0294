import * as z from 'zod';
import { planStatuses } from '../../data/state/plan-types.js';
import { defaultPlanSeconds, maxPlanSeconds } from '../../domain/calls/plans.js';
import { identifier } from './input.js';
import { PageQuery } from './paging.js';
import { anyObject, ExecuteRequest, instant } from './schemas.js';

/**
 * Body of a request to prepare a write. Shaping options apply to execute, but are accepted here because some clients
 * send them.
 */
export const PrepareRequest = z.strictObject({
  ...ExecuteRequest.pick({ select_fields: true, exclude_fields: true, skip_truncation: true }).shape,
  entity: z.string().max(200),
  action: z.string().max(200),
  params: anyObject('Action parameters.').optional(),
  intent: z.string().max(512).optional().describe('Reason shown to the approver and recorded in the audit log.'),
  expires_in: z
    .int()
    .min(60)
    .max(maxPlanSeconds)
    .optional()
    .describe(`Lifetime in seconds, 60 to ${maxPlanSeconds} (default ${defaultPlanSeconds}).`),
});

/** Body of a request to approve or refuse a plan. */
export const DecisionRequest = z.strictObject({
  reason: z.string().trim().min(1).max(512).optional().describe('Reason shown to the client that prepared the plan.'),
});

/** Query parameters for listing plans. */
export const PlansQuery = z.strictObject({
  status: z.enum(planStatuses).optional(),
  connector_id: identifier(100).optional().describe('Only plans for this connector.'),
  ...PageQuery.shape,
});

const planFields = {
  id: z.string(),
  status: z.enum(planStatuses),
  connector_id: z.string(),
  workspace_name: z.string(),
  entity: z.string(),
  action: z.string(),
  effect: z.string(),
  requested_by: z.string().describe('Id of the client that prepared the plan, and the only one that can execute it.'),
  requested_by_name: z.string().nullable(),
  requested_via: z.string().describe('http, mcp or console.'),
  requested_at: instant,
  expires_at: instant,
  approved_by: z.string().nullable(),
  approved_at: instant.nullable(),
  refused_by: z.string().nullable(),
  refused_at: instant.nullable(),
  decided_by_name: z.string().nullable(),
  executed_at: instant.nullable(),
};

/** A prepared write. */
export const PlanResponse = z.object({
  ...planFields,
  intent: z.string().nullable(),
  reason: z.string().nullable().describe('Reason for the approval or refusal.'),
  preview: z.object({
    summary: z.string().describe('Summary of the change.'),
    params: z.record(z.string(), z.unknown()),
    request: z
      .object({ method: z.string(), url: z.string(), body: z.unknown() })
      .describe('The first request that changes data, with credentials omitted.'),
  }),
});

/** A page of plans, without their contents. */
export const PlansResponse = z.object({ data: z.array(z.object(planFields)), next: z.string().nullable() });
