import type { ActivitySeries, ConnectorOverview } from 'agent-connectors/wire';
import { Bars } from '../components/bars.js';
import { Empty, Unloaded } from '../components/notice.js';
import { Status } from '../components/status.js';
import { duration, Time } from '../components/time.js';
import { api } from '../data/api.js';
import { freshnessOf } from '../data/freshness.js';
import { activityPath, byDay, byHour } from '../data/series.js';
import { useResource } from '../data/use-resource.js';
import { texts } from '../texts/index.js';
import { QuotaLeft } from './quota.js';

/** Freshness, synced and failed records, and call latency. */
export function ChartsTab({ connector }: { readonly connector: ConnectorOverview }) {
  const { id, job } = connector;
  const days = useResource(
    (signal) => api<ActivitySeries>(activityPath('day', 14, id), { signal }),
    [id, job?.id, job?.status],
  );
  const hours = useResource((signal) => api<ActivitySeries>(activityPath('hour', 24, id), { signal }), [id]);
  return (
    <>
      <Freshness connector={connector} />
      <Unloaded resource={days} />
      {days.state === 'done' ? (
        <Bars
          title={texts.chart.records}
          series={[
            { name: texts.chart.changed, class: 'one' },
            { name: texts.chart.failed, class: 'two' },
          ]}
          bars={byDay(days.data)}
        />
      ) : null}
      <Unloaded resource={hours} />
      {hours.state === 'done' ? <Latency series={hours.data} /> : null}
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
            <code>{entity}</code>
            <Status of={freshnessOf(status, synced_at, sync_interval)} />
            <Time at={synced_at} absent={texts.notSynced} />
          </li>
        ))}
      </ul>
    </figure>
  );
}

function Latency({ series }: { readonly series: ActivitySeries }) {
  const bars = series.total.calls === 0 ? [] : byHour(series);
  if (bars.length === 0) {
    return (
      <Empty title={texts.chart.noCalls}>
        <p>{texts.chart.noCallsText}</p>
      </Empty>
    );
  }
  return (
    <Bars
      title={texts.chart.latency}
      series={[
        { name: 'p50', class: 'one' },
        { name: 'p95', class: 'three' },
      ]}
      unit={duration}
      bars={bars}
    />
  );
}
