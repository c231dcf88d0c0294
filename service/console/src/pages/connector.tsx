import { hasVisits } from '../components/analytics.js';
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
            <Link to="/connectors">{texts.connectors.all}</Link>
          </p>
        </Empty>
      </>
    );
  }
  const path = `/connectors/${id}`;
  // A connector with reports opens with its charts.
  const usual = hasVisits(connector) ? 'charts' : 'sync';
  const shown = ['records', 'run', 'charts', 'settings', 'sync'].includes(tab) ? tab : usual;
  const pathOf = (name: string) => (name === usual ? path : `${path}/${name}`);
  const order = usual === 'charts' ? ['charts', 'records', 'run', 'sync'] : ['sync', 'records', 'run', 'charts'];
  const tabs = [...order, 'settings'] as ReadonlyArray<keyof typeof texts.tabs>;
  return (
    <>
      <p class="crumbs">
        <Link to="/connectors">{texts.connectors.title}</Link>
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
        current={pathOf(shown)}
        tabs={tabs.map((name) => [pathOf(name), texts.tabs[name]])}
      />
      {shown === 'sync' ? <ReplicaTab connector={connector} /> : null}
      {shown === 'records' ? <RecordsTab connector={connector} path={rest} /> : null}
      {shown === 'run' ? <RunTab connector={connector} /> : null}
      {shown === 'charts' ? <ChartsTab connector={connector} /> : null}
      {shown === 'settings' ? <SettingsTab connector={connector} /> : null}
    </>
  );
}
