import { ConnectorError, type Result } from 'agent-connectors';
import { type ConnectorRow, StateConflict } from '../../data/state/rows.js';
import { currentActor } from '../../domain/audit/record-audit.js';
import type { ExecuteInput } from '../../domain/connectors/execute.js';
import { asConnectorError, HttpError } from '../../domain/http-error.js';
import { planOf } from '../../domain/plans/prepare.js';
import type { Services } from '../api/route.js';
import { runPlan } from '../api/routes/execute.js';

/**
 * Runs a write that needs approval: the first call stores the plan, and an identical later call executes it.
 *
 * Until the plan is approved, throws `denied_by_policy` with the plan's id.
 */
export async function runApprovedWrite(row: ConnectorRow, input: ExecuteInput, services: Services): Promise<Result> {
  const { clientId = '', scopes = [], requestId } = currentActor() ?? {};
  const plan = await planOf(row, input, services).catch((failure: unknown) => {
    throw refusalOf(failure);
  });
  const call = { row, input, actor: { clientId, scopes }, requestId: requestId ?? 'mcp', services };
  const { status, body, failure } = await runPlan(call, plan.id);
  if (failure !== undefined) throw refusalOf(failure);
  const reply = JSON.parse(body);
  if (status !== 200) throw new ConnectorError(reply.code, reply.message, { hint: reply.hint ?? undefined });
  return { data: reply.result, meta: reply.connector_metadata };
}

/** Converts service rejections, which tools would otherwise report as bugs; returns unexpected errors unchanged. */
const refusalOf = (failure: unknown): unknown =>
  failure instanceof HttpError || failure instanceof StateConflict ? asConnectorError(failure) : failure;
