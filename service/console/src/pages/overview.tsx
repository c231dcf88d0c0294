import type { ActivitySeries, ConnectorOverview, Page, Quota, SyncJob } from 'agent-connectors/wire';
import { useEffect } from 'preact/hooks';
import { CallCharts } from '../components/activity-charts.js';
import { EntityProgress } from '../components/entity-progress.js';
import { TypeMark } from '../components/mark.js';
import { Empty, ErrorNotice, Loading, Unloaded } from '../components/notice.js';
import { causeOf, FixButton } from '../components/problem.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { count, duration, percent, Time } from '../components/time.js';
import { api, connectorPath } from '../data/api.js';
import { freshnessOf } from '../data/freshness.js';
import { wordsOf } from '../data/record.js';
import { activityPath } from '../data/series.js';
import { useResource } from '../data/use-resource.js';
import { Link, useTitle } from '../router.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';
import { byUrgency, HealthOf } from './connectors.js';

/** How often numbers are read again, in milliseconds. */
const refreshMs = 15_000;
/** Limits with less than this share left are shown. */
const nearEnd = 0.2;

/** The state of everything: what needs attention, what is running, and how calls went. */
export function OverviewPage() {
  const { connectors, live, error } = useConsole().feed;
  useTitle(texts.overview.title);
  const activity = useResource((signal) => api<ActivitySeries>(activityPath('hour'), { signal }), []);
  const { reload } = activity;
  useEffect(() => {
    const timer = setInterval(reload, refreshMs);
    return () => clearInterval(timer);
  }, [reload]);
  const problems = (connectors ?? []).filter(({ health }) => texts.problems[health] !== undefined);
  const running = (connectors ?? []).filter(({ job }) => job?.status === 'running');
  return (
    <>
      <div class="title">
        <h1>{texts.overview.title}</h1>
        <span class={`live ${live ? 'on' : ''}`} role="status">
          {live ? texts.connectors.live : texts.connectors.reconnecting}
        </span>
      </div>
      {error ? <ErrorNotice error={error} /> : null}
      {!connectors && !error ? <Loading /> : null}
      {connectors?.length === 0 ? (
        <Empty title={texts.connectors.none}>
          <p>
            <Link to="/connectors">{texts.overview.addFirst}</Link>
          </p>
        </Empty>
      ) : null}
      {connectors && connectors.length > 0 && activity.state === 'done' ? (
        <Tiles connectors={connectors} activity={activity.data} />
      ) : null}
      {problems.length > 0 ? <Problems connectors={problems} /> : null}
      {running.length > 0 ? <Running connectors={running} /> : null}
      {connectors && connectors.length > 0 ? <Limits connectors={connectors} /> : null}
      <Unloaded resource={activity} />
      {activity.state === 'done' && activity.data.total.calls > 0 ? (
        <div class="chart-grid">
          <CallCharts series={activity.data} />
        </div>
      ) : null}
      {connectors && connectors.length > 0 ? (
        <Freshness connectors={connectors} activity={activity.state === 'done' ? activity.data : undefined} />
      ) : null}
    </>
  );
}

interface NumbersProps {
  readonly connectors: readonly ConnectorOverview[];
  readonly activity: ActivitySeries;
}

function Tiles({ connectors, activity: { total } }: NumbersProps) {
  const ready = connectors.filter(({ health }) => health === 'ready' || health === 'syncing').length;
  const records = connectors.reduce((sum, connector) => sum + connector.records, 0);
  const inLastDay = texts.overview.lastDay;
  const tiles: ReadonlyArray<readonly [title: string, value: string, detail: string]> = [
    [texts.connectors.title, count(connectors.length), texts.overview.ready(ready)],
    [texts.tabs.records, count(records), texts.overview.changed(total.changed)],
    [texts.overview.calls, count(total.calls), inLastDay],
    [
      texts.overview.errors,
      total.calls === 0 ? '–' : percent(total.errors / total.calls),
      total.calls === 0 ? inLastDay : texts.overview.failedCalls(total.errors),
    ],
    [
      texts.overview.latency,
      total.p50_ms === null ? '–' : duration(total.p50_ms),
      total.p95_ms === null ? inLastDay : texts.overview.p95(duration(total.p95_ms)),
    ],
    [texts.overview.syncs, count(total.syncs), texts.overview.failedSyncs(total.failed_syncs)],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([title, value, detail]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            {value}
            <small>{detail}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ConnectorsProps {
  readonly connectors: readonly ConnectorOverview[];
}

const NameOf = ({ id, name, connector_type }: ConnectorOverview) => (
  <span class="typed">
    <TypeMark name={connector_type} />
    <Link to={`/connectors/${id}`}>{name}</Link>
  </span>
);

function Problems({ connectors }: ConnectorsProps) {
  const mayManage = useConsole().session.scopes.includes('manage');
  return (
    <section aria-label={texts.overview.attention}>
      <h2>{texts.overview.attention}</h2>
      <ul class="rows">
        {connectors.map((connector) => (
          <li key={connector.id}>
            <NameOf {...connector} />
            <Status of={connector.health} />
            <span class="reason">
              {(connector.health === 'no_credentials' ? undefined : causeOf(connector)) ??
                texts.problems[connector.health]?.(connector.title)}
            </span>
            {mayManage ? <FixButton connector={connector} /> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

const Running = ({ connectors }: ConnectorsProps) => (
  <section aria-label={texts.overview.running}>
    <h2>{texts.overview.running}</h2>
    <ul class="rows">
      {connectors.map((connector) => (
        <RunningSync key={connector.id} connector={connector} />
      ))}
    </ul>
  </section>
);

function RunningSync({ connector }: { readonly connector: ConnectorOverview }) {
  const { id, job } = connector;
  const jobs = useResource(
    (signal) => api<Page<SyncJob>>(connectorPath(id, '/jobs?limit=1'), { signal }),
    [id, job?.id, job?.read],
  );
  const entities = jobs.state === 'done' ? (jobs.data.data[0]?.entities ?? []) : [];
  const done = entities.filter(({ status }) => status === 'done').length;
  return (
    <li>
      <NameOf {...connector} />
      <span>{texts.sync.readSoFar(job?.read ?? 0)}</span>
      {entities.length > 0 ? <span class="quiet">{texts.overview.entitiesDone(done, entities.length)}</span> : null}
      {entities
        .filter(({ status }) => status === 'running')
        .map((entity) => (
          <span key={entity.entity} class="reason">
            {wordsOf(entity.entity)} <EntityProgress of={entity} />
          </span>
        ))}
    </li>
  );
}

interface NearLimit {
  readonly connector: ConnectorOverview;
  readonly name: string;
  readonly remaining: number;
  readonly limit: number;
}

/** Limits of vendors of which little is left, as the service has counted or was told; no vendor is asked. */
function Limits({ connectors }: ConnectorsProps) {
  const found = useResource(
    async (signal) => {
      const all = await Promise.all(
        connectors.slice(0, 30).map(async (connector): Promise<NearLimit[]> => {
          const { reported, limits } = await api<Quota>(connectorPath(connector.id, '/quota'), { signal });
          return [
            ...reported.flatMap(({ name, remaining, limit }) =>
              limit === null ? [] : [{ connector, name, remaining, limit }],
            ),
            // A limit per second says little about what comes next.
            ...limits
              .filter(({ seconds }) => seconds >= 60)
              .map(({ requests, seconds, sent }) => ({
                connector,
                name: texts.quota.perSpan(seconds),
                remaining: Math.max(0, requests - sent),
                limit: requests,
              })),
          ];
        }),
      );
      return all.flat().filter(({ remaining, limit }) => remaining < limit * nearEnd);
    },
    [connectors.map(({ id }) => id).join(' ')],
  );
  const { reload } = found;
  useEffect(() => {
    const timer = setInterval(reload, 4 * refreshMs);
    return () => clearInterval(timer);
  }, [reload]);
  if (found.state !== 'done' || found.data.length === 0) return null;
  return (
    <section aria-label={texts.overview.limits}>
      <h2>{texts.overview.limits}</h2>
      <ul class="rows">
        {found.data.map(({ connector, name, remaining, limit }) => (
          <li key={`${connector.id} ${name}`}>
            <NameOf {...connector} />
            <span>{wordsOf(name)}</span>
            <span>{texts.quota.leftOfLimit(remaining, limit)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FreshnessProps extends ConnectorsProps {
  readonly activity: ActivitySeries | undefined;
}

function Freshness({ connectors, activity }: FreshnessProps) {
  const ofConnector = (id: string) => activity?.connectors.find(({ connector_id }) => connector_id === id);
  /** The state of the entity that is furthest behind. */
  const freshness = ({ entities, sync_interval, synced_at }: ConnectorOverview): string | undefined => {
    const replicated = entities.filter(({ status }) => status !== 'not_configured');
    if (replicated.length === 0 || synced_at === null) return undefined;
    return freshnessOf('ready', synced_at, sync_interval);
  };
  return (
    <>
      <h2>{texts.connectors.title}</h2>
      <Table
        class="compact titled"
        caption={texts.overview.caption}
        rows={[...connectors].sort(byUrgency)}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, lead: true, cell: (connector) => <NameOf {...connector} /> },
          { title: texts.state, cell: (connector) => <HealthOf {...connector} brief /> },
          { title: texts.tabs.records, numeric: true, cell: ({ records }) => count(records) },
          {
            title: texts.overview.freshness,
            cell: (connector) => {
              const state = freshness(connector);
              return state === undefined ? <span class="quiet">–</span> : <Status of={state} />;
            },
          },
          { title: texts.connectors.lastSync, cell: ({ synced_at }) => <Time at={synced_at} /> },
          {
            title: texts.overview.callsInDay,
            numeric: true,
            cell: ({ id }) => (activity ? count(ofConnector(id)?.calls ?? 0) : '–'),
          },
          {
            title: texts.overview.errors,
            numeric: true,
            cell: ({ id }) => (activity ? count(ofConnector(id)?.errors ?? 0) : '–'),
          },
        ]}
      />
    </>
  );
}
