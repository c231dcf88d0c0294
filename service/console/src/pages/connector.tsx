import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { Tabs } from '../components/tabs.js';
import { Link } from '../router.js';
import { useConsole } from '../session.js';
import { ChartsTab } from './charts.js';
import { HealthOf } from './connectors.js';
import { ReplicaTab } from './replica.js';
import { RunTab } from './run.js';

/** One connector: its replica, its actions, its charts. */
export function ConnectorPage({ id, tab }: { readonly id: string; readonly tab: string }) {
  const { connectors, error } = useConsole().feed;
  const connector = connectors?.find((each) => each.id === id);
  if (!connector) {
    if (error) return <ErrorNotice error={error} />;
    if (!connectors) return <Loading what="the connector" />;
    return (
      <>
        <h1>Not found</h1>
        <Empty title="Connector not found.">
          <p>
            <Link to="/">All connectors</Link>
          </p>
        </Empty>
      </>
    );
  }
  const path = `/connectors/${id}`;
  const current = tab === 'run' || tab === 'charts' ? `${path}/${tab}` : path;
  return (
    <>
      <p class="crumbs">
        <Link to="/">Connectors</Link>
      </p>
      <div class="title">
        <h1>{connector.name}</h1>
        <HealthOf {...connector} />
      </div>
      <p class="quiet">
        {connector.title} in workspace {connector.workspace_name} · <code>{id}</code>
      </p>
      <Tabs
        label={connector.name}
        current={current}
        tabs={[
          [path, 'Replica'],
          [`${path}/run`, 'Run an action'],
          [`${path}/charts`, 'Charts'],
        ]}
      />
      {current === path ? <ReplicaTab connector={connector} /> : null}
      {tab === 'run' ? <RunTab connector={connector} /> : null}
      {tab === 'charts' ? <ChartsTab connector={connector} /> : null}
    </>
  );
}
