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

/** What the past tells: how fresh the records are, what was synced and failed, how long calls take. */
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
          title="Records synced and failed, by day"
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
      <Empty title="Nothing is replicated of this connector.">
        <p>There is freshness to show once it has credentials and its first sync has run.</p>
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
        <strong>Freshness: time since each entity was synced</strong>
      </figcaption>
      <ul class="ages">
        {ages.map(({ entity, synced_at, age }) => (
          <li key={entity}>
            <code>{entity}</code>
            <meter min={0} max={oldest} value={age ?? oldest} aria-label={`Age of ${entity}`} />
            <Time at={synced_at} absent="not yet" />
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
      <Empty title="No calls of late.">
        <p>Times of calls are shown here once an action has been run within a day.</p>
      </Empty>
    );
  }
  return (
    <Bars
      title="Time that calls took in the last day: half of them, and 19 of 20, were quicker"
      series={[
        { name: 'half', class: 'one' },
        { name: '19 of 20', class: 'three' },
      ]}
      unit={duration}
      bars={bars}
    />
  );
}
