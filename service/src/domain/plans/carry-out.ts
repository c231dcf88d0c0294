import { ConnectorError, type Once } from 'agent-connectors';
import { canonicalJson } from '../../common/canonical.js';
import type { PlanContent, PlanRow } from '../../data/state/plan-types.js';
import type { StartedWrite, State } from '../../data/state/types.js';
import type { ExecuteInput } from '../connectors/execute.js';
import { type BegunWrite, runIdempotent, type WriteReply } from '../connectors/idempotent-write.js';

/** A plan to execute. */
export interface PlanExecution {
  readonly row: PlanRow;
  readonly content: PlanContent;
  /** The requesting client. */
  readonly clientId: string;
  /** The request's input; omitted parameters come from the plan. */
  readonly input: ExecuteInput;
  /** Runs the action and converts errors to responses. */
  readonly work: (input: ExecuteInput) => Promise<WriteReply>;
  /** Returns a stored response if the caller is still allowed to run the action. */
  readonly replay: (input: ExecuteInput, stored: WriteReply, planId: string) => Promise<WriteReply>;
  readonly toReply: (failure: unknown) => WriteReply;
  readonly report: (error: unknown) => void;
}

/** Executes a plan once; repeated requests get the stored response. */
export async function carryOut(
  { ledger, plans, atomically }: Pick<State, 'ledger' | 'plans' | 'atomically'>,
  { row, content, clientId, input, work, replay, toReply, report }: PlanExecution,
): Promise<WriteReply> {
  const fault = faultOf(row, content, input, clientId);
  // The approved plan.
  const planned = { ...input, params: content.params, intent: content.intent ?? input.intent };
  // If the request does not match the plan, its outcome must not be stored, and it must not see the plan's response.
  if (fault) {
    const claim = () => Promise.reject(fault);
    return work({ ...planned, plan: content.plan, stored: { row, claim } });
  }
  const { connectorId, entity, action } = row;
  const alone = <T>(change: () => Promise<T>) => atomically(`plan ${row.id}`, change);
  /** Whether this request or one that it resumes may have claimed the plan. */
  let mayBeClaimed = false;
  const run = (once: Once, { write, isResumed }: BegunWrite) => {
    mayBeClaimed = isResumed;
    const claim = () =>
      alone(async () => {
        await ledger.hold(write);
        if (!(await plans.claim(row, isResumed))) throw notExecutable(row);
        mayBeClaimed = true;
      });
    return work({ ...planned, plan: content.plan, once, stored: { row, claim } });
  };
  const planLedger = {
    ...ledger,
    async forget(write: StartedWrite) {
      if (!mayBeClaimed) return ledger.forget(write);
      // Together: without its entry in the ledger, a claimed plan could not be executed again.
      return alone(async () => {
        const isOwn = await ledger.forget(write);
        if (isOwn) await plans.release(row);
        return isOwn;
      });
    },
  };
  return runIdempotent(planLedger, {
    // Headers contain no line breaks, so no idempotency key can collide with this.
    key: { clientId, connectorId, entity, action, key: `plan\n${row.id}` },
    bodyHash: row.id,
    work: run,
    replay: (stored) => replay(planned, stored, row.id),
    toReply,
    report,
  });
}

function faultOf(
  row: PlanRow,
  { params }: PlanContent,
  input: ExecuteInput,
  clientId: string,
): ConnectorError | undefined {
  if (clientId !== row.requestedBy) {
    return new ConnectorError('forbidden', `Plan ${row.id} was prepared by another client.`, {
      hint: 'Only the client that prepared a plan can execute it.',
    });
  }
  const isSameAction = input.entity === row.entity && input.action === row.action;
  const isSame = isSameAction && (input.params === undefined || canonicalJson(input.params) === canonicalJson(params));
  if (isSame) return undefined;
  return conflict(
    `Plan ${row.id} is for ${row.entity}.${row.action}; this call has a different action or different parameters.`,
    'Omit params, or prepare a plan for this write.',
  );
}

const notExecutable = ({ id }: PlanRow) =>
  conflict(
    `Plan ${id} cannot be executed: it has expired, was refused or already executed, or its connector’s credentials have changed.`,
    `GET /api/v1/plans/${id} returns the plan’s status. Check what the plan changed before preparing it again.`,
  );

const conflict = (message: string, hint: string) => new ConnectorError('conflict', message, { hint });
