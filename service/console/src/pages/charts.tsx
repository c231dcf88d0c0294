import type { AuditEntry, ConnectorOverview, HostedConnector, Page, SyncJob } from 'agent-connectors/wire';
import { Bars } from '../components/bars.js';
import { Empty, Unloaded } from '../components/notice.js';
import { Status } from '../components/status.js';
import { duration, Time } from '../components/time.js';
import { api, connectorPath } from '../data/api.js';
import { byDay, byHour } from '../data/series.js';
import { useResource } from '../data/use-resource.js';
import { texts } from '../texts/index.js';
import { QuotaLeft } from './quota.js';

/** Freshness, synced and failed records, and call latency. */
export function ChartsTab({ connector }: { readonly connector: ConnectorOverview }) {
  const { id, job } = connector;
  const jobs = useResource(
    (signal) => api<Page<SyncJob>>(connectorPath(id, '/jobs?limit=100'), { signal }),
    [id, job?.id, job?.status],
  );
  const calls = useResource(
    (signal) => api<Page<AuditEntry>>(`/api/v1/audit?connector_id=${encodeURIComponent(id)}&limit=500`, { signal }),
    [id],
  );
  return (
    <>
      <Freshness connector={connector} />
      <Unloaded resource={jobs} />
      {jobs.state === 'done' ? (
        <Bars
          title={texts.chart.records}
          series={[
            { name: texts.chart.changed, class: 'one' },
            { name: texts.chart.failed, class: 'two' },
          ]}
          bars={byDay(jobs.data.data, Date.now())}
        />
      ) : null}
      <Unloaded resource={calls} />
      {calls.state === 'done' ? <Latency entries={calls.data.data} /> : null}
      <QuotaLeft connector={connector} />
    </>
  );
}

/** Freshness of each entity, oldest first. */
function Freshness({ connector: { id, entities } }: { readonly connector: ConnectorOverview }) {
  const stored = useResource((signal) => api<HostedConnector>(connectorPath(id), { signal }), [id]);
  const interval = stored.state === 'done' ? stored.data.replication_config?.interval : undefined;
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
            <Status of={freshnessOf(status, synced_at, interval)} />
            <Time at={synced_at} absent={texts.notSynced} />
          </li>
        ))}
      </ul>
    </figure>
  );
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A sync within the last two intervals counts as fresh. */
function freshnessOf(status: string, syncedAt: string | null, interval: unknown): string {
  if (status === 'failed' || syncedAt === null) return status;
  const [, count = '1', unit = 'h'] = /^(\d+)([mhd])$/.exec(String(interval)) ?? [];
  const age = Date.now() - Date.parse(syncedAt);
  return age <= 2 * Number(count) * (unitMs[unit] ?? 0) ? 'fresh' : 'stale';
}

function Latency({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const bars = byHour(entries, Date.now());
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
