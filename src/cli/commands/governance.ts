import type { AuditEntry, HostedConnector, PlanDetails, PutPolicy } from '../../wire/index.js';
import type { CommandCall } from '../arguments/specification.js';
import { usageError } from '../failure.js';
import { findHosted, openSession, type Session } from '../hosted.js';
import { fitToWidth, localMoment } from '../output/cell.js';
import { type Colours, inLine } from '../output/colour.js';
import { printList } from './list.js';
import { followAudit } from './watch.js';

/** The connector named by an argument, if any. */
async function namedConnector(
  session: Session,
  { connector_id: id, name, workspace }: CommandCall['argument'],
): Promise<HostedConnector | undefined> {
  return id === undefined && name === undefined ? undefined : findHosted(session, { id, name, workspace });
}

/** Lists policies. */
export async function listPolicies(call: CommandCall): Promise<void> {
  const { client } = await openSession(call);
  await call.print.result(await client.policies.list());
}

/** Replaces the policy of a workspace or of one connector. */
export async function setPolicy(call: CommandCall): Promise<void> {
  const { read_only, allow, approval, approval_by } = call.argument;
  if (!read_only && !allow && !approval) {
    throw usageError('The policy is empty: pass read_only, allow or approval.', {
      hint: 'To remove a policy, run agent-connectors policies delete.',
    });
  }
  await putPolicy(call, { read_only, allow, approval, approval_by });
}

/** Removes a policy. */
export const deletePolicy = (call: CommandCall): Promise<void> => putPolicy(call, {});

async function putPolicy(call: CommandCall, limits: Omit<PutPolicy, 'workspace_name'>): Promise<void> {
  const { argument, flags, print } = call;
  const session = await openSession(call);
  const connector = await namedConnector(session, argument);
  const workspace_name = connector?.workspace_name ?? argument.workspace ?? session.workspace;
  const connector_id = connector?.id ?? null;
  const { data } = await session.client.policies.list();
  const before = data.find(
    (policy) => policy.workspace_name === workspace_name && policy.connector_id === connector_id,
  );
  const applies = { workspace_name, connector_id };
  const after = Object.keys(limits).length > 0 ? { ...applies, ...limits } : null;
  if (flags['dry-run']) {
    await print.result({ dry_run: true, before: before ?? null, after });
    return;
  }
  await print.result(
    await session.client.policies.put({ workspace_name, ...(connector && { connector_id: connector.id }), ...limits }),
  );
}

/** Lists plans, pending ones by default. */
export async function listApprovals(call: CommandCall): Promise<void> {
  const { status = 'pending' } = call.argument;
  const session = await openSession(call);
  const connector = await namedConnector(session, call.argument);
  const filter = { status: status === 'all' ? undefined : status, connector_id: connector?.id };
  await printList(call, session, '/plans', filter, {
    first: ['id', 'status', 'entity', 'action', 'requested_by_name', 'expires_at'],
  });
}

const planId = ({ argument: { id } }: CommandCall): string => {
  if (id !== undefined) return id;
  throw usageError('The plan id is missing.', { hint: 'Run agent-connectors approvals list.' });
};

/** Shows a plan. */
export async function showApproval(call: CommandCall): Promise<void> {
  const id = planId(call);
  const { client } = await openSession(call);
  await call.print.result(await client.plans.get(id));
}

/** Approves or refuses a plan. */
const decide =
  (decision: 'approve' | 'refuse') =>
  async (call: CommandCall): Promise<void> => {
    const id = planId(call);
    const { client } = await openSession(call);
    await call.print.result(await client.plans[decision](id, call.argument.reason));
  };

export const approve = decide('approve');
export const refuse = decide('refuse');

/** Prepares a write for approval by someone else. */
export async function requestApproval(call: CommandCall): Promise<void> {
  const { entity, action, params, intent, expires_in, ...which } = call.argument;
  if (entity === undefined || action === undefined) {
    throw usageError(`${entity === undefined ? 'entity' : 'action'} is missing.`, {
      hint: 'Pass an argument like {"name":"…","entity":"issues","action":"create","params":{…}}.',
    });
  }
  const session = await openSession(call);
  const { id } = await findHosted(session, which);
  const write = { entity, action, params, intent, expires_in };
  const plan: PlanDetails = await session.client.connectors.prepare(id, write);
  await call.print.result(plan);
}

/** Executes a plan once; if repeated, returns the service's stored result. */
export async function executeApproval(call: CommandCall): Promise<void> {
  const id = planId(call);
  const { client } = await openSession(call);
  const { connector_id, entity, action } = await client.plans.get(id);
  const { result } = await client.connectors.execute(connector_id, { entity, action, plan_id: id });
  await call.print.result({ data: result, meta: {} });
}

/** Lists audit log entries. */
export async function listAudit(call: CommandCall): Promise<void> {
  const session = await openSession(call);
  const connector = await namedConnector(session, call.argument);
  const filter = { connector_id: connector?.id, from: call.argument.from };
  if (call.flags.follow) {
    const entries = followAudit(call, session, filter, call.argument.limit ?? 10);
    if (!call.print.pretty) return call.print.records(entries);
    const width = call.environment.stdout.columns || 80;
    for await (const entry of entries) await call.print.text(`${entryLine(entry, call.print.colours, width)}\n`);
    return;
  }
  const first = ['seq', 'at', 'what', 'outcome', 'via', 'duration_ms', 'intent'];
  await printList(call, session, '/audit', filter, { first }, call.print.pretty ? withWhat : undefined);
}

const whatOf = ({ entity, action, event }: AuditEntry): string => (entity === null ? event : `${entity}.${action}`);

/** An entry with what happened in one column of a table. */
const withWhat = (entry: AuditEntry) => ({ what: whatOf(entry), ...entry });

/** An entry on one line: in aligned columns no wider than a terminal, where its time is local. */
function entryLine(entry: AuditEntry, colours: Colours, width: number) {
  const { at, connector_type, outcome, via, intent, duration_ms } = entry;
  const { dim, red, green, isTerminal } = colours;
  const time = isTerminal ? localMoment(at, Date.now()) : at;
  const what = inLine(whatOf(entry)).padEnd(28);
  const result = inLine(outcome).padEnd(9);
  const end = outcome === 'begun' ? dim(result) : outcome === 'success' ? green(result) : red(result);
  const details = [via, duration_ms === null ? '' : `${duration_ms} ms`, connector_type ?? '', intent ?? ''];
  const known = details
    .filter((text) => text !== '')
    .map(inLine)
    .join(' · ');
  const left = width - [time, result, what].reduce((sum, text) => sum + text.length + 2, 0);
  return `${dim(time)}  ${end}  ${what}  ${dim(isTerminal ? fitToWidth(known, Math.max(8, left)).trimEnd() : known)}`;
}

/** Verifies the audit log. */
export async function verifyAudit(call: CommandCall): Promise<number> {
  const { client } = await openSession(call);
  const verdict = await client.audit.verify();
  await call.print.result({ ok: verdict.broken === null, ...verdict });
  return verdict.broken === null ? 0 : 1;
}
