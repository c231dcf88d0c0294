import { useEffect, useState } from 'preact/hooks';
import { Code } from '../components/code.js';
import { Field } from '../components/field.js';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { Pager } from '../components/pager.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { Time } from '../components/time.js';
import { api } from '../data/api.js';
import { useResource } from '../data/use-resource.js';
import { visibleJson, visibleText } from '../data/visible-text.js';
import type { Page, PlanDetails, PlanRow } from '../data/wire.js';
import { useConsole } from '../session.js';

/** Polling interval in milliseconds. */
const pollMs = 5_000;

/** Pending and decided writes. */
export function ApprovalsPage() {
  const { connectors = [] } = useConsole().feed;
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  // Requested separately, so that other plans cannot push pending ones off the page.
  const plans = useResource(
    async (signal) => {
      const pageOf = (query: Record<string, string>) =>
        api<Page<PlanRow>>(`/api/v1/plans?${new URLSearchParams({ limit: '50', ...query })}`, { signal });
      const [pending, newest] = await Promise.all([
        pageOf({ status: 'pending', ...(cursor !== undefined && { cursor }) }),
        pageOf({}),
      ]);
      return { pending, others: newest.data.filter(({ status }) => status !== 'pending') };
    },
    [cursor],
  );
  const { reload } = plans;
  useEffect(() => {
    const timer = setInterval(reload, pollMs);
    return () => clearInterval(timer);
  }, [reload]);
  const nameOf = (id: string) => visibleText(connectors.find((each) => each.id === id)?.name ?? id);
  return (
    <>
      <h1>Approvals</h1>
      <p class="quiet">
        Writes prepared by agents and programs, newest first. Policies define which writes need approval.
      </p>
      {plans.state === 'loading' ? <Loading what="plans" /> : null}
      {plans.state === 'failed' ? <ErrorNotice error={plans.error} retry={reload} /> : null}
      {plans.state === 'done' ? (
        <>
          <PendingPlans rows={plans.data.pending.data} nameOf={nameOf} reload={reload} />
          {cursors.length > 0 || plans.data.pending.next !== null ? (
            <Pager cursors={cursors} next={plans.data.pending.next} choose={setCursors} />
          ) : null}
          <OtherPlans rows={plans.data.others} nameOf={nameOf} />
        </>
      ) : null}
    </>
  );
}

interface PlansProps {
  readonly rows: readonly PlanRow[];
  readonly nameOf: (connector: string) => string;
}

function PendingPlans({ rows, nameOf, reload }: PlansProps & { readonly reload: () => void }) {
  return rows.length === 0 ? (
    <Empty title="Nothing to approve">
      <p>Writes that need approval appear here.</p>
    </Empty>
  ) : (
    rows.map((plan) => (
      <PendingPlan key={plan.id} plan={plan} connector={nameOf(plan.connector_id)} onDecided={reload} />
    ))
  );
}

function OtherPlans({ rows, nameOf }: PlansProps) {
  return rows.length === 0 ? null : (
    <Table
      caption="Decided, executed or expired"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Prepared', cell: ({ requested_at }) => <Time at={requested_at} /> },
        { title: 'Connector', cell: ({ connector_id }) => nameOf(connector_id) },
        { title: 'Action', cell: ({ entity, action }) => <code>{`${entity}.${action}`}</code> },
        { title: 'By', cell: ({ requested_by_name, requested_by }) => requested_by_name ?? requested_by },
        { title: 'Status', cell: ({ status }) => <Status of={status} /> },
        {
          title: 'Decided by',
          cell: ({ decided_by_name, approved_by, refused_by }) => decided_by_name ?? approved_by ?? refused_by ?? '–',
        },
      ]}
    />
  );
}

interface PendingPlanProps {
  readonly plan: PlanRow;
  readonly connector: string;
  readonly onDecided: () => void;
}

/** A write with everything needed to decide on it. */
function PendingPlan({ plan, connector, onDecided }: PendingPlanProps) {
  const { id, entity, action, requested_by, requested_by_name, requested_via } = plan;
  const path = `/api/v1/plans/${encodeURIComponent(id)}`;
  const details = useResource((signal) => api<PlanDetails>(path, { signal }), [id]);
  const [reason, setReason] = useState('');
  const [error, setError] = useState<Error>();
  const decide = async (decision: 'approve' | 'refuse') => {
    const text = reason.trim();
    try {
      await api(`${path}/${decision}`, { method: 'POST', json: text === '' ? {} : { reason: text } });
      setError(undefined);
      onDecided();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <section class="panel" aria-label={`${entity}.${action} through ${connector}`}>
      <h2>
        <code>{`${entity}.${action}`}</code> through {connector}
      </h2>
      <p class="quiet">
        Prepared by {requested_by_name ?? requested_by} ({requested_via}) <Time at={plan.requested_at} />, expires{' '}
        <Time at={plan.expires_at} />
      </p>
      {details.state === 'loading' ? <Loading what="the preview" /> : null}
      {details.state === 'failed' ? <ErrorNotice error={details.error} retry={details.reload} /> : null}
      {details.state === 'done' ? <Preview {...details.data} /> : null}
      <Field label="Reason" help="Optional. Shown to the requester.">
        {(control) => (
          <input
            {...control}
            type="text"
            maxLength={512}
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        )}
      </Field>
      {error ? <ErrorNotice error={error} /> : null}
      <div class="buttons">
        <button type="button" class="primary" disabled={details.state !== 'done'} onClick={() => decide('approve')}>
          Approve
        </button>
        <button type="button" onClick={() => decide('refuse')}>
          Refuse
        </button>
      </div>
    </section>
  );
}

function Preview({ intent, preview: { summary, params, request } }: PlanDetails) {
  return (
    <>
      <p>{visibleText(summary)}</p>
      {intent === null ? null : <p>Reason given: {visibleJson(intent)}</p>}
      <Code label="Parameters" text={visibleJson(params)} />
      <Code label={`${request.method} ${request.url}`} text={visibleJson(request.body)} />
    </>
  );
}
