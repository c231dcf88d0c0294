import { useState } from 'preact/hooks';
import type { ConnectorOverview } from '../../../src/web/console/types.js';
import { AddConnector } from '../components/add-connector.js';
import { InlineCode } from '../components/inline-code.js';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { causeOf } from '../components/problem.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { count, percent, Time } from '../components/time.js';
import { Link } from '../router.js';
import { useConsole, workspacesOf } from '../session.js';
import { texts } from '../texts/index.js';

/** All connectors with their live status. */
export function ConnectorsPage() {
  const { connectors, live, error } = useConsole().feed;
  const [workspace, setWorkspace] = useState('');
  const [adding, setAdding] = useState(false);
  const workspaces = workspacesOf(connectors ?? []);
  const visible = (connectors ?? []).filter(({ workspace_name }) => workspace === '' || workspace_name === workspace);
  return (
    <>
      <div class="title">
        <h1>{texts.connectors.title}</h1>
        <span class={`live ${live ? 'on' : ''}`} role="status">
          {live ? texts.connectors.live : texts.connectors.reconnecting}
        </span>
        {workspaces.length > 1 ? (
          <select
            aria-label={texts.workspace}
            value={workspace}
            onChange={({ currentTarget }) => setWorkspace(currentTarget.value)}
          >
            <option value="">{texts.connectors.allWorkspaces}</option>
            {workspaces.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
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
      {visible.length > 0 ? <List connectors={visible} showWorkspace={workspaces.length > 1} /> : null}
    </>
  );
}

const List = ({
  connectors,
  showWorkspace,
}: {
  readonly connectors: readonly ConnectorOverview[];
  readonly showWorkspace: boolean;
}) => (
  <Table
    caption={texts.connectors.caption(connectors.length)}
    rows={connectors}
    keyOf={({ id }) => id}
    columns={[
      { title: texts.name, cell: ({ id, name }) => <Link to={`/connectors/${id}`}>{name}</Link> },
      { title: texts.connectors.type, cell: ({ title }) => title },
      ...(showWorkspace
        ? [{ title: texts.workspace, cell: ({ workspace_name }: ConnectorOverview) => workspace_name }]
        : []),
      { title: texts.state, cell: (connector) => <HealthOf {...connector} /> },
      { title: texts.connectors.searchable, cell: (connector) => <Readiness {...connector} /> },
      { title: texts.tabs.records, numeric: true, cell: ({ records }) => count(records) },
      { title: texts.connectors.lastSync, cell: ({ synced_at }) => <Time at={synced_at} /> },
    ]}
  />
);

/** Health with the progress of a running job and, unless brief, the cause of a failure. */
export function HealthOf({ brief = false, ...connector }: ConnectorOverview & { readonly brief?: boolean }) {
  const { health, job } = connector;
  const reason = brief || texts.problems[health] === undefined ? undefined : causeOf(connector);
  const running = job?.status === 'running' && health === 'syncing';
  return (
    <>
      <Status of={health} />
      {running ? (
        <progress value={job.progress} max={1} aria-label={texts.connectors.progress}>
          {percent(job.progress)}
        </progress>
      ) : null}
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
