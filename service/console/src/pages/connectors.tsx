import type { ConnectorOverview } from 'agent-connectors/wire';
import { useState } from 'preact/hooks';
import { AddConnector } from '../components/add-connector.js';
import { InlineCode } from '../components/inline-code.js';
import { TypeMark } from '../components/mark.js';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { causeOf, enterCredentials, needsCredentials } from '../components/problem.js';
import { Select } from '../components/select.js';
import { Status } from '../components/status.js';
import { type Column, Table } from '../components/table.js';
import { count, Time } from '../components/time.js';
import { useAction } from '../data/use-action.js';
import { Link, useChoices, useTitle } from '../router.js';
import { useConsole, workspacesOf } from '../session.js';
import { texts } from '../texts/index.js';

/** All connectors with their live status. */
export function ConnectorsPage() {
  const { feed, session } = useConsole();
  const { connectors, live, error } = feed;
  const [query, change] = useChoices();
  const workspace = query.get('workspace') ?? '';
  useTitle(texts.connectors.title);
  const [adding, setAdding] = useState(false);
  const workspaces = workspacesOf(connectors ?? []);
  const visible = (connectors ?? [])
    .filter(({ workspace_name }) => workspace === '' || workspace_name === workspace)
    .sort(byUrgency);
  return (
    <>
      <div class="title">
        <h1>{texts.connectors.title}</h1>
        <span class={`live ${live ? 'on' : ''}`} role="status">
          {live ? texts.connectors.live : texts.connectors.reconnecting}
        </span>
        {workspaces.length > 1 ? (
          <Select
            control={{ 'aria-label': texts.workspace }}
            value={workspace}
            options={[['', texts.connectors.allWorkspaces], ...workspaces.map((name) => [name, name] as const)]}
            choose={(name) => change({ workspace: name })}
          />
        ) : null}
        <button type="button" class="primary push" onClick={() => setAdding(true)}>
          {texts.connectors.add}
        </button>
      </div>
      {adding ? <AddConnector close={() => setAdding(false)} /> : null}
      {error ? <ErrorNotice error={error} /> : null}
      {connectors === undefined && !error ? <Loading /> : null}
      {connectors?.length === 0 ? (
        <Empty title={texts.connectors.none}>
          <p>
            <InlineCode text={texts.connectors.noneText} />
          </p>
        </Empty>
      ) : null}
      {visible.length > 0 ? (
        <List
          connectors={visible}
          showWorkspace={workspaces.length > 1}
          mayManage={session.scopes.includes('manage')}
        />
      ) : null}
    </>
  );
}

const urgency = ({ health }: ConnectorOverview): number =>
  health === 'needs_reauthorization' || health === 'failing'
    ? 0
    : health === 'no_credentials' || health === 'retrying'
      ? 1
      : 2;

/** Connectors that need attention first, then by name. */
export const byUrgency = (one: ConnectorOverview, other: ConnectorOverview): number =>
  urgency(one) - urgency(other) || one.name.localeCompare(other.name);

interface ListProps {
  readonly connectors: readonly ConnectorOverview[];
  readonly showWorkspace: boolean;
  readonly mayManage: boolean;
}

function List({ connectors, showWorkspace, mayManage }: ListProps) {
  const { busy, error, run } = useAction();
  const workspaceColumn: Column<ConnectorOverview> = {
    title: texts.workspace,
    cell: ({ workspace_name }) => <Cut text={workspace_name} />,
  };
  const actions: Column<ConnectorOverview> = {
    title: texts.actions,
    cell: (connector) => {
      if (!needsCredentials(connector)) return null;
      const { id, name, health } = connector;
      const label = health === 'no_credentials' ? texts.enterCredentials : texts.reconnect;
      return (
        <button
          type="button"
          disabled={busy}
          aria-label={texts.forConnector(label, name)}
          onClick={() => run(() => enterCredentials(id))}
        >
          {label}
        </button>
      );
    },
  };
  return (
    <>
      {error ? <ErrorNotice error={error} /> : null}
      <Table
        class="list"
        caption={texts.connectors.caption(connectors.length)}
        rows={connectors}
        keyOf={({ id }) => id}
        columns={[
          {
            title: texts.name,
            cell: ({ id, name }) => (
              <Link to={`/connectors/${id}`}>
                <Cut text={name} />
              </Link>
            ),
          },
          { title: texts.connectors.type, cell: (connector) => <TypeOf {...connector} /> },
          ...(showWorkspace ? [workspaceColumn] : []),
          { title: texts.state, cell: (connector) => <HealthOf {...connector} /> },
          { title: texts.connectors.searchable, cell: (connector) => <Readiness {...connector} /> },
          { title: texts.tabs.records, numeric: true, cell: ({ records }) => count(records) },
          { title: texts.connectors.lastSync, cell: ({ synced_at }) => <Time at={synced_at} /> },
          ...(mayManage && connectors.some(needsCredentials) ? [actions] : []),
        ]}
      />
    </>
  );
}

const TypeOf = ({ connector_type, title }: ConnectorOverview) => (
  <span class="typed">
    <TypeMark name={connector_type} />
    {title}
  </span>
);

/** A name, truncated if it is long, with the full name as its tooltip. */
const Cut = ({ text }: { readonly text: string }) => (
  <span class="cut" title={text}>
    {text}
  </span>
);

/** Health with the progress of a running job and, unless brief, the cause of a failure. */
export function HealthOf({ brief = false, ...connector }: ConnectorOverview & { readonly brief?: boolean }) {
  const { health, job } = connector;
  const reason = brief || texts.problems[health] === undefined ? undefined : causeOf(connector);
  const running = job?.status === 'running' && health === 'syncing';
  return (
    <>
      <Status of={health} />
      {running ? <span class="reason">{texts.sync.readSoFar(job.read)}</span> : null}
      {reason ? (
        <span class="reason" title={reason}>
          {reason}
        </span>
      ) : null}
    </>
  );
}

function Readiness({ entities }: ConnectorOverview) {
  const replicated = entities.filter(({ status }) => status !== 'not_configured');
  if (replicated.length === 0) return <span class="quiet">–</span>;
  const ready = replicated.filter(({ ready_for_search }) => ready_for_search).length;
  return <span>{texts.connectors.readyEntities(ready, replicated.length)}</span>;
}
