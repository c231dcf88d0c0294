import { ConnectorError, type Once } from 'agent-connectors';
import { digestOf } from '../../common/canonical.js';
import { newId } from '../../data/state/database.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { Actor } from '../../domain/audit/record-audit.js';
import { type ExecuteInput, execute } from '../../domain/connectors/execute.js';
import { runIdempotent, type WriteReply } from '../../domain/connectors/idempotent-write.js';
import { errorReply, notFoundError } from '../../domain/http-error.js';
import { carryOut } from '../../domain/plans/carry-out.js';
import type { Services } from './route.js';

/** One call of an action, and who asks for it. */
export interface ActionCall {
  readonly row: ConnectorRow;
  readonly input: ExecuteInput;
  readonly actor: Pick<Actor, 'clientId' | 'scopes'>;
  readonly requestId: string;
  readonly services: Services;
}

/** Runs the action, and counts what became of it. */
export async function withMetrics<T>({ row, input, services }: ActionCall, work: () => Promise<T>): Promise<T> {
  let outcome = 'success';
  try {
    return await work();
  } catch (error) {
    outcome = ConnectorError.is(error) ? error.code : 'failed';
    throw error;
  } finally {
    const known = (await services.definitions.of(row.type)).action(input.entity, input.action) !== undefined;
    // Names that no type has are the caller's own words, of which there is no end.
    const { entity, action } = known ? input : { entity: 'unknown', action: 'unknown' };
    services.metrics.execution({ type: row.type, entity, action, outcome });
  }
}

/** Runs the action, and gives the body of its answer. */
export async function runAction({ row, input, services }: ActionCall, signal?: AbortSignal): Promise<object> {
  const started = performance.now();
  const { data, meta } = await execute(row, input, services, signal);
  const isSearch = input.action === 'context_store_search';
  return {
    status: 'success',
    result: isSearch ? { data, meta } : data,
    connector_metadata: isSearch ? {} : meta,
    execution_metadata: {
      connector_instance_id: row.id,
      execution_id: newId('exe'),
      execution_time_ms: Math.round(performance.now() - started),
    },
  };
}

/** Runs a write, which goes on when its caller has gone, and is answered even where it failed, so that the ledger can keep that. */
export async function runWrite(call: ActionCall, key: string | undefined): Promise<WriteReply> {
  const { row, input, actor, services } = call;
  const { work, toReply, report } = replying(call);
  if (key === undefined) return work(input);
  const { entity, action, params, select_fields, exclude_fields, raw, plan } = input;
  const shaping = [select_fields ?? null, exclude_fields ?? null, raw ?? false, ...(plan ? [plan] : [])];
  return runIdempotent(services.state.ledger, {
    key: { clientId: actor.clientId, connectorId: row.id, entity, action, key },
    bodyHash: digestOf([params ?? {}, ...shaping]),
    ...{ work: (once: Once) => work({ ...input, once }), toReply, report },
  });
}

/** Carries out the plan with this id, of those of the connector. */
export async function runPlan(call: ActionCall, id: string): Promise<WriteReply> {
  const { row, input, actor, services } = call;
  const { work, toReply, report } = replying(call);
  // The gate refuses it.
  if (!actor.scopes.includes('write')) return work(input);
  const { plans } = services.state;
  const { organizationId, workspaceId } = row;
  const plan = await plans.get({ organizationId, workspaceId }, id);
  const content = plan?.connectorId === row.id ? await plans.content(plan) : undefined;
  if (!plan || !content) throw notFoundError(`plan '${id}'`);
  return carryOut(services.state, { row: plan, content, clientId: actor.clientId, input, work, toReply, report });
}

/** Turns what becomes of a write into a reply. */
function replying(call: ActionCall) {
  const { requestId, services } = call;
  const report = (error: unknown) => services.report(error, requestId);
  const toReply = (failure: unknown): WriteReply => {
    const { status, headers, body } = errorReply(failure, requestId);
    if (status === 500) report(failure);
    return { status, headers, body, failure };
  };
  const work = async (input: ExecuteInput): Promise<WriteReply> => {
    const running = { ...call, input };
    try {
      return { status: 200, headers: {}, body: JSON.stringify(await withMetrics(running, () => runAction(running))) };
    } catch (failure) {
      return toReply(failure);
    }
  };
  return { work, toReply, report };
}
