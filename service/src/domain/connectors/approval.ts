import { ConnectorError } from 'agent-connectors';
import type { ApprovalBy } from 'agent-connectors/wire';
import type { PlanRow } from '../../data/state/plan-types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';

/** A write that needs an approved plan. */
interface GuardedWrite {
  readonly row: ConnectorRow;
  readonly entity: string;
  readonly action: string;
  /** The plan being executed. */
  readonly plan: PlanRow | undefined;
  readonly approvalBy: ApprovalBy;
}

/**
 * Throws `denied_by_policy` unless the plan is for this action and was approved by a client that is still allowed to
 * approve.
 */
export async function requireApproval(
  { row, entity, action, plan, approvalBy }: GuardedWrite,
  { access, plans }: Pick<State, 'access' | 'plans'>,
): Promise<void> {
  const where = `${entity}.${action}`;
  if (!plan || plan.connectorId !== row.id || plan.entity !== entity || plan.action !== action) {
    throw denied(
      `${where} needs approval under a policy of this workspace or connector.`,
      `Prepare it with POST /api/v1/integrations/connectors/${row.id}/execute/prepare. When ${approverOf(approvalBy)} has approved the plan, execute it with its plan_id.`,
    );
  }
  if (plan.status === 'pending') {
    throw denied(
      `${where} is waiting for approval: plan ${plan.id} is pending.`,
      `Tell the user that ${approverOf(approvalBy)} must approve the plan, either in the console under Approvals or with POST /api/v1/plans/${plan.id}/approve. After approval, repeat the call unchanged.`,
    );
  }
  if (plan.decision === 'refused') {
    const reason = (await plans.content(plan))?.reason;
    throw denied(
      `${where} was not run: plan ${plan.id} was refused${reason ? ` (${reason.replace(/\.$/, '')})` : ''}.`,
      'Tell the user; do not try to work around it.',
    );
  }
  // If the approver has lost the right to approve, the approval is void.
  const approver = plan.decidedBy === null ? undefined : await access.client(plan.decidedBy);
  const mayApprove = approver?.scopes.includes('write') && approver.organizationIds.includes(row.organizationId);
  if (plan.decision !== 'approved' || !mayApprove) {
    throw denied(`${where} is not approved: plan ${plan.id} has no valid approval.`, anew);
  }
  if (approvalBy === 'other' && plan.decidedBy === plan.requestedBy) {
    throw denied(`${where} is not approved: the client that prepared plan ${plan.id} approved it itself.`, anew);
  }
}

const anew = 'Prepare the write again, and have another client approve it.';

const approverOf = (by: ApprovalBy): string =>
  by === 'other' ? 'someone who uses another client and has the write scope' : 'someone with the write scope';

const denied = (message: string, hint: string) => new ConnectorError('denied_by_policy', message, { hint });
