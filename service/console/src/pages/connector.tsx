import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { Problem } from '../components/problem.js';
import { Tabs } from '../components/tabs.js';
import { Link, useTitle } from '../router.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';
import { ChartsTab } from './charts.js';
import { HealthOf } from './connectors.js';
import { RecordsTab } from './records.js';
import { ReplicaTab } from './replica.js';
import { RunTab } from './run.js';
import { SettingsTab } from './settings.js';

interface ConnectorPageProps {
  readonly id: string;
  readonly tab: string;
  /** The rest of the path. */
  readonly rest: readonly string[];
}

/** A connector: its replica, records, actions, charts and settings. */
export function ConnectorPage({ id, tab, rest }: ConnectorPageProps) {
  const { connectors, error } = useConsole().feed;
  const connector = connectors?.find((each) => each.id === id);
  useTitle(texts.tabs[tab as keyof typeof texts.tabs] ?? '', connector?.name ?? texts.connectors.title);
  if (!connector) {
    if (error) return <ErrorNotice error={error} />;
    if (!connectors) return <Loading />;
    return (
      <>
        <h1>{texts.notFound}</h1>
        <Empty title={texts.connectors.missing}>
          <p>
            <Link to="/">{texts.connectors.all}</Link>
          </p>
        </Empty>
      </>
    );
  }
  const path = `/connectors/${id}`;
  const current = ['records', 'run', 'charts', 'settings'].includes(tab) ? `${path}/${tab}` : path;
  return (
    <>
      <p class="crumbs">
        <Link to="/">{texts.connectors.title}</Link>
      </p>
      <div class="title">
        <h1>{connector.name}</h1>
        <HealthOf {...connector} brief />
      </div>
      <p class="quiet">
        {texts.connectors.place(connector.title, connector.workspace_name)} · <code>{id}</code>
      </p>
      <Problem connector={connector} />
      <Tabs
        label={connector.name}
        current={current}
        tabs={[
          [path, texts.tabs.replica],
          [`${path}/records`, texts.tabs.records],
          [`${path}/run`, texts.tabs.run],
          [`${path}/charts`, texts.tabs.charts],
          [`${path}/settings`, texts.tabs.settings],
        ]}
      />
      {current === path ? <ReplicaTab connector={connector} /> : null}
      {tab === 'records' ? <RecordsTab connector={connector} path={rest} /> : null}
      {tab === 'run' ? <RunTab connector={connector} /> : null}
      {tab === 'charts' ? <ChartsTab connector={connector} /> : null}
      {tab === 'settings' ? <SettingsTab connector={connector} /> : null}
    </>
  );
}
