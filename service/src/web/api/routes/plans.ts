import { ConnectorError } from 'agent-connectors';
import {
  DecisionRequest,
  PlanResponse,
  type PlanSummaryResponse,
  PlansQuery,
  PlansResponse,
  PrepareRequest,
  type ResponseOf,
} from 'agent-connectors/wire';
import { instantOf } from '../../../common/moment.js';
import type { PlanContent, PlanDecision, PlanRow } from '../../../data/state/plan-types.js';
import { preparePlan } from '../../../domain/calls/plans.js';
import { notFoundError } from '../../../domain/http-error.js';
import { requireConnector } from '../handle-request.js';
import { pageOf } from '../paging.js';
import { type Call, type Route, route } from '../route.js';

function planFields(plan: PlanRow): ResponseOf<typeof PlanSummaryResponse> {
  const { decision, decidedBy, decidedAt } = plan;
  const ofDecision = (wanted: PlanDecision) =>
    decision === wanted ? ([decidedBy, instantOf(decidedAt)] as const) : ([null, null] as const);
  const [approved_by, approved_at] = ofDecision('approved');
  const [refused_by, refused_at] = ofDecision('refused');
  return {
    id: plan.id,
    status: plan.status,
    connector_id: plan.connectorId,
    workspace_name: plan.workspaceName,
    entity: plan.entity,
    action: plan.action,
    effect: plan.effect,
    requested_by: plan.requestedBy,
    requested_by_name: plan.requesterName,
    requested_via: plan.requestedVia,
    requested_at: instantOf(plan.requestedAt),
    expires_at: instantOf(plan.expiresAt),
    approved_by,
    approved_at,
    refused_by,
    refused_at,
    decided_by_name: plan.deciderName,
    executed_at: instantOf(plan.executedAt),
  };
}

/** A plan and its connector, if the caller is allowed to see them. */
async function requirePlan({ params: { id = '' }, scope, services: { state } }: Call) {
  const plan = await state.plans.get(scope, id);
  const row = plan && (await state.connectors.get(scope, plan.connectorId));
  const content = row && (await state.plans.content(plan));
  if (!plan || !row || !content) throw notFoundError(`plan '${id.slice(0, 100)}'`);
  return { plan, row, content };
}

async function planJson(call: Call): Promise<ResponseOf<typeof PlanResponse>> {
  const { plan, row, content } = await requirePlan(call);
  const { params, intent, reason, plan: planned }: PlanContent = content;
  const { manifest, action } = call.services.definitions.of(row.type);
  const description = action(plan.entity, plan.action)?.description ?? '';
  const summary = `${plan.entity}.${plan.action} at ${manifest.title} through '${row.name}': ${description}`;
  return { ...planFields(plan), intent, reason, preview: { summary, params, request: planned.request } };
}

const prepare = route({
  method: 'POST',
  path: '/api/v1/integrations/connectors/{id}/execute/prepare',
  operationId: 'prepareExecute',
  summary:
    'Prepare a write and store its plan for approval. Nothing is sent until the plan is executed with its plan_id. A plan can be executed only once.',
  access: 'organization',
  tokenScope: 'write',
  isChange: false,
  body: PrepareRequest,
  response: PlanResponse,
  errors: [404, 409, 424, 429, 502, 504],
  async handle(call) {
    const { entity, action, params, intent, expires_in: expiresIn } = call.body;
    const request = { entity, action, params, intent, expiresIn };
    const { id } = await preparePlan(await requireConnector(call), request, call.services);
    return planJson({ ...call, params: { id } });
  },
});

const list = route({
  method: 'GET',
  path: '/api/v1/plans',
  operationId: 'listPlans',
  summary: 'List plans, newest first; GET /plans/{id} shows the change.',
  access: 'organization',
  tokenScope: 'write',
  query: PlansQuery,
  response: PlansResponse,
  async handle({ query: { connector_id: connectorId, status, limit = 100, cursor }, scope, services: { state } }) {
    const { rows, next } = await pageOf(state.plans.list(scope, { connectorId, status, limit, cursor }));
    return { data: rows.map(planFields), next };
  },
});

const get = route({
  method: 'GET',
  path: '/api/v1/plans/{id}',
  operationId: 'getPlan',
  summary: 'Get a plan with a preview of its change.',
  access: 'organization',
  tokenScope: 'write',
  response: PlanResponse,
  errors: [404],
  handle: planJson,
});

/** Approves or refuses a plan through the gate: callers that are not allowed to execute the write cannot do either. */
async function decide(call: Call, decision: PlanDecision, reason: string | undefined) {
  const { caller, services } = call;
  const { plan, row, content } = await requirePlan(call);
  // Approval is a second opinion, which an app cannot give on its own writes.
  if (caller.grantId !== undefined)
    throw new ConnectorError('forbidden', 'A connected app cannot approve or reject plans.');
  const { id, entity, action } = plan;
  const gated = { row, entity, action, params: content.params, event: `plan.${decision}`, subject: id };
  await services.gate.pass({ ...gated, intent: reason }, async () => {
    const isOwn = caller.client.id === plan.requestedBy;
    if (decision === 'approved' && isOwn && (await services.gate.approvalOf(row, entity, action)) === 'other') {
      throw new ConnectorError(
        'denied_by_policy',
        `Plan ${id} was prepared by this client; another client must approve it.`,
      );
    }
    if (await services.state.plans.decide(plan, decision, caller.client.id, reason ?? null)) return;
    const { status } = (await services.state.plans.get(call.scope, id)) ?? plan;
    throw new ConnectorError('conflict', `Plan ${id} is ${status} and can no longer be ${decision}.`);
  });
  return planJson(call);
}

const decisionRoute = (verb: 'approve' | 'refuse', decision: PlanDecision, summary: string) =>
  route({
    method: 'POST',
    path: `/api/v1/plans/{id}/${verb}`,
    operationId: `${verb}Plan`,
    summary,
    access: 'organization',
    tokenScope: 'write',
    isChange: false,
    body: DecisionRequest,
    optionalBody: true,
    response: PlanResponse,
    errors: [404, 409],
    handle: (call) => decide(call, decision, call.body.reason),
  });

const approve = decisionRoute(
  'approve',
  'approved',
  'Approve a pending plan. If the policy requires it, the client that prepared the plan cannot approve it.',
);
const refuse = decisionRoute('refuse', 'refused', 'Refuse a plan that is pending or approved but not executed.');

/** Routes for plans and decisions. */
export const planRoutes: readonly Route[] = [prepare, list, get, approve, refuse];
