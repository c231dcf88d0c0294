import type { ConnectorOverview, Page, PlanDetails, PlanSummary } from 'agent-connectors/wire';
import { useEffect, useState } from 'preact/hooks';
import { Code } from '../components/code.js';
import { TextField } from '../components/field.js';
import { Markdown } from '../components/markdown.js';
import { Empty, ErrorNotice, Unloaded } from '../components/notice.js';
import { Pager } from '../components/pager.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { Time } from '../components/time.js';
import { actionName } from '../data/action-name.js';
import { api } from '../data/api.js';
import { namedRecord } from '../data/links.js';
import { type Fields, isEmpty, recordPath, titleOf, wordsOf } from '../data/record.js';
import { useResource } from '../data/use-resource.js';
import { visibleJson, visibleText } from '../data/visible-text.js';
import { Link, usePages, useTitle } from '../router.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';

/** Polling interval in milliseconds. */
const pollMs = 5_000;

/** Pending and decided writes. */
export function ApprovalsPage() {
  const { connectors = [] } = useConsole().feed;
  const [cursors, setCursors] = usePages();
  useTitle(texts.approvals.title);
  const cursor = cursors.at(-1);
  // Requested separately so that other plans cannot push pending ones off the page.
  const plans = useResource(
    async (signal) => {
      const pageOf = (query: Record<string, string>) =>
        api<Page<PlanSummary>>(`/api/v1/plans?${new URLSearchParams({ limit: '50', ...query })}`, { signal });
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
      <h1>{texts.approvals.title}</h1>
      <p class="quiet">{texts.approvals.text}</p>
      <Unloaded resource={plans} />
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
  readonly rows: readonly PlanSummary[];
  readonly nameOf: (connector: string) => string;
}

function PendingPlans({ rows, nameOf, reload }: PlansProps & { readonly reload: () => void }) {
  return rows.length === 0 ? (
    <Empty title={texts.approvals.none}>
      <p>{texts.approvals.noneText}</p>
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
      caption={texts.approvals.others}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.approvals.prepared, cell: ({ requested_at }) => <Time at={requested_at} /> },
        { title: texts.connector, cell: ({ connector_id }) => nameOf(connector_id) },
        {
          title: texts.action,
          cell: ({ entity, action }) => <span title={`${entity}.${action}`}>{actionName(entity, action)}</span>,
        },
        { title: texts.by, cell: ({ requested_by_name, requested_by }) => requested_by_name ?? requested_by },
        { title: texts.state, cell: ({ status }) => <Status of={status} /> },
        {
          title: texts.approvals.decidedBy,
          cell: ({ decided_by_name, approved_by, refused_by }) => decided_by_name ?? approved_by ?? refused_by ?? '–',
        },
      ]}
    />
  );
}

interface PendingPlanProps {
  readonly plan: PlanSummary;
  readonly connector: string;
  readonly onDecided: () => void;
}

/** A write, with everything needed to approve or reject it. */
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
    <section class="panel" aria-label={texts.approvals.through(actionName(entity, action), connector)}>
      <h2 title={`${entity}.${action}`}>{texts.approvals.through(actionName(entity, action), connector)}</h2>
      <p class="quiet">
        {texts.approvals.preparedBy(requested_by_name ?? requested_by, texts.audit.via[requested_via] ?? requested_via)}{' '}
        <Time at={plan.requested_at} />, {texts.approvals.expires} <Time at={plan.expires_at} />
      </p>
      <Unloaded resource={details} />
      {details.state === 'done' ? <Preview plan={details.data} /> : null}
      <TextField
        label={texts.reason}
        help={texts.approvals.reasonHelp}
        maxLength={512}
        value={reason}
        change={setReason}
      />
      {error ? <ErrorNotice error={error} /> : null}
      <div class="buttons">
        <button type="button" class="primary" disabled={details.state !== 'done'} onClick={() => decide('approve')}>
          {texts.approvals.approve}
        </button>
        <button type="button" onClick={() => decide('refuse')}>
          {texts.approvals.refuse}
        </button>
      </div>
    </section>
  );
}

/** What will be written as its reader will see it, and the exact request. */
function Preview({ plan }: { readonly plan: PlanDetails }) {
  const { intent, connector_id, entity, preview } = plan;
  const { summary, params, request } = preview;
  const connector = useConsole().feed.connectors?.find(({ id }) => id === connector_id);
  return (
    <>
      <p>{visibleText(summary)}</p>
      {intent === null ? null : <p>{texts.approvals.intent(visibleJson(intent))}</p>}
      <dl class="record">
        {Object.entries(params as Fields).map(([name, value]) => (
          <div key={name}>
            <dt title={name}>{wordsOf(name)}</dt>
            <dd>
              {connector ? <NamedRecord connector={connector} entity={entity} param={name} value={value} /> : null}
              <WrittenValue of={value} />
            </dd>
          </div>
        ))}
      </dl>
      <details>
        <summary>{texts.run.showRequest}</summary>
        <Code label={texts.run.params} text={visibleJson(params)} />
        <Code label={`${request.method} ${request.url}`} text={visibleJson(request.body)} />
      </details>
    </>
  );
}

interface NamedRecordProps {
  readonly connector: ConnectorOverview;
  readonly entity: string;
  readonly param: string;
  readonly value: unknown;
}

/** The title of the record that a parameter names by id. */
function NamedRecord({ connector, entity, param, value }: NamedRecordProps) {
  const found = useResource(
    () => namedRecord(connector, entity, param, value),
    [connector.id, entity, param, JSON.stringify(value)],
  );
  const link = found.state === 'done' ? found.data : undefined;
  const path = link && recordPath(connector.id, link.entity, link.record);
  if (!link || path === undefined) return null;
  return (
    <span class="named">
      <Link to={path}>{visibleText(titleOf(link.record, texts.untitled))}</Link>
    </span>
  );
}

/** A value that will be written; invisible characters are visible, and empty values clear a field. */
function WrittenValue({ of }: { readonly of: unknown }) {
  if (isEmpty(of)) return <span class="quiet">{texts.approvals.cleared}</span>;
  if (typeof of !== 'string') return <span class="exact">{visibleJson(of)}</span>;
  return of.includes('\n') ? <Markdown text={visibleLines(of)} /> : <span class="exact">{visibleText(of)}</span>;
}

/** Line breaks are no invisible characters. */
const visibleLines = (text: string): string => text.split('\n').map(visibleText).join('\n');
