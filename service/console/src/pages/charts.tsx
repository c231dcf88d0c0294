import type { AuditEntry } from '../../../src/data/state/audit/types.js';
import type { ConnectorOverview } from '../../../src/web/console/types.js';
import { Bars } from '../components/bars.js';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { duration, Time } from '../components/time.js';
import { api, connectorPath } from '../data/api.js';
import { byDay, byHour } from '../data/series.js';
import { useResource } from '../data/use-resource.js';
import type { Job, Page } from '../data/wire.js';
import { QuotaLeft } from './quota.js';

/** Freshness, synced and failed records, and call latency. */
export function ChartsTab({ connector }: { readonly connector: ConnectorOverview }) {
  const { id, job } = connector;
  const jobs = useResource(
    (signal) => api<Page<Job>>(connectorPath(id, '/jobs?limit=100'), { signal }),
    [id, job?.id, job?.status],
  );
  const calls = useResource(
    (signal) => api<Page<AuditEntry>>(`/api/v1/audit?connector_id=${encodeURIComponent(id)}&limit=500`, { signal }),
    [id],
  );
  return (
    <>
      <Freshness connector={connector} />
      {jobs.state === 'loading' ? <Loading what="jobs" /> : null}
      {jobs.state === 'failed' ? <ErrorNotice error={jobs.error} retry={jobs.reload} /> : null}
      {jobs.state === 'done' ? (
        <Bars
          title="Records synced and failed per day"
          series={[
            { name: 'changed', class: 'one' },
            { name: 'failed', class: 'two' },
          ]}
          bars={byDay(jobs.data.data, Date.now())}
        />
      ) : null}
      {calls.state === 'loading' ? <Loading what="calls" /> : null}
      {calls.state === 'failed' ? <ErrorNotice error={calls.error} retry={calls.reload} /> : null}
      {calls.state === 'done' ? <Latency entries={calls.data.data} /> : null}
      <QuotaLeft connector={connector} />
    </>
  );
}

/** How long ago each entity was synced, the oldest first. */
function Freshness({ connector: { entities } }: { readonly connector: ConnectorOverview }) {
  const replicated = entities.filter(({ status }) => status !== 'not_configured');
  if (replicated.length === 0) {
    return (
      <Empty title="No freshness data">
        <p>Available after the first sync.</p>
      </Empty>
    );
  }
  const ages = replicated
    .map(({ entity, synced_at }) => ({ entity, synced_at, age: synced_at ? Date.now() - Date.parse(synced_at) : null }))
    .sort((one, other) => (other.age ?? Number.MAX_VALUE) - (one.age ?? Number.MAX_VALUE));
  // The usual interval: what is younger is fresh, however the others are.
  const oldest = Math.max(3_600_000, ...ages.map(({ age }) => age ?? 0));
  return (
    <figure class="chart">
      <figcaption>
        <strong>Freshness: time since last sync</strong>
      </figcaption>
      <ul class="ages">
        {ages.map(({ entity, synced_at, age }) => (
          <li key={entity}>
            <code>{entity}</code>
            <meter min={0} max={oldest} value={age ?? oldest} aria-label={`Age of ${entity}`} />
            <Time at={synced_at} absent="not synced yet" />
          </li>
        ))}
      </ul>
    </figure>
  );
}

function Latency({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const bars = byHour(entries, Date.now());
  if (bars.length === 0) {
    return (
      <Empty title="No calls in the last 24 hours">
        <p>Call latency appears here after an action runs.</p>
      </Empty>
    );
  }
  return (
    <Bars
      title="Call latency, last 24 h (p50, p95)"
      series={[
        { name: 'p50', class: 'one' },
        { name: 'p95', class: 'three' },
      ]}
      unit={duration}
      bars={bars}
    />
  );
}
