import type { ActivitySeries, ConnectorOverview } from 'agent-connectors/wire';
import { CallCharts, Chart } from '../components/activity-charts.js';
import { Analytics, hasVisits } from '../components/analytics.js';
import { Empty, Unloaded } from '../components/notice.js';
import { Status } from '../components/status.js';
import { briefTime, Time } from '../components/time.js';
import { api } from '../data/api.js';
import { freshnessOf } from '../data/freshness.js';
import { wordsOf } from '../data/record.js';
import { activityPath, periodsOf } from '../data/series.js';
import { type Resource, useResource } from '../data/use-resource.js';
import { texts } from '../texts/index.js';
import { QuotaLeft } from './quota.js';

/** Freshness, synced and failed records, and call latency. */
export function ChartsTab({ connector }: { readonly connector: ConnectorOverview }) {
  const { id, job } = connector;
  const days = useResource(
    (signal) => api<ActivitySeries>(activityPath('day', id), { signal }),
    [id, job?.id, job?.status],
  );
  const hours = useResource((signal) => api<ActivitySeries>(activityPath('hour', id), { signal }), [id]);
  return (
    <>
      {hasVisits(connector) ? <Analytics connector={connector} /> : null}
      <Freshness connector={connector} />
      <div class="chart-grid">
        <ActivityCharts days={days} hours={hours} />
      </div>
      <QuotaLeft connector={connector} />
    </>
  );
}

/** Freshness of each entity, oldest first. */
function Freshness({ connector: { entities, sync_interval } }: { readonly connector: ConnectorOverview }) {
  const replicated = entities.filter(({ status }) => status !== 'not_configured');
  if (replicated.length === 0) {
    return (
      <Empty title={texts.chart.noFreshness}>
        <p>{texts.chart.noFreshnessText}</p>
      </Empty>
    );
  }
  const rows = [...replicated].sort((one, other) => (one.synced_at ?? '').localeCompare(other.synced_at ?? ''));
  return (
    <figure class="chart">
      <figcaption>
        <strong>{texts.freshness}</strong>
      </figcaption>
      <ul class="ages">
        {rows.map(({ entity, status, synced_at }) => (
          <li key={entity}>
            <span title={entity}>{wordsOf(entity)}</span>
            <Status of={freshnessOf(status, synced_at, sync_interval)} />
            <Time at={synced_at} absent={texts.notSynced} />
          </li>
        ))}
      </ul>
    </figure>
  );
}

interface ActivityChartsProps {
  readonly days: Resource<ActivitySeries>;
  readonly hours: Resource<ActivitySeries>;
}

function ActivityCharts({ days, hours }: ActivityChartsProps) {
  const synced = days.state === 'done' ? days.data : undefined;
  const called = hours.state === 'done' ? hours.data : undefined;
  const since = synced && texts.chart.countedSince(briefTime(synced.since));
  return (
    <>
      <Unloaded resource={days} />
      {synced ? (
        <>
          <Chart
            title={texts.chart.stored}
            kind="lines"
            {...periodsOf(synced)}
            series={[
              { name: texts.chart.storedRecords, tone: 'one', values: synced.data.map(({ records }) => records) },
            ]}
            note={since}
          />
          <Chart
            title={texts.chart.records}
            kind="bars"
            {...periodsOf(synced)}
            series={[
              { name: texts.chart.changed, tone: 'one', values: synced.data.map(({ changed }) => changed) },
              { name: texts.chart.failed, tone: 'two', values: synced.data.map(({ failed }) => failed) },
            ]}
            note={since}
          />
        </>
      ) : null}
      <Unloaded resource={hours} />
      {called?.total.calls === 0 ? (
        <Empty title={texts.chart.noCalls}>
          <p>{texts.chart.noCallsText}</p>
        </Empty>
      ) : called ? (
        <CallCharts series={called} />
      ) : null}
    </>
  );
}
