import type { ConnectorOverview, Page, SyncJob } from 'agent-connectors/wire';
import { api, connectorPath } from '../data/api.js';
import { useResource } from '../data/use-resource.js';
import { texts } from '../texts/index.js';
import { Status } from './status.js';
import { Table } from './table.js';
import { count, duration, exactTime, Time } from './time.js';

/** Jobs that the service keeps of a connector. */
const shownJobs = 100;

/** How long a job took, if it has ended. */
export const durationOf = ({ started_at, finished_at }: SyncJob): string =>
  started_at && finished_at ? duration(Date.parse(finished_at) - Date.parse(started_at)) : '–';

const startOf = ({ started_at, created_at }: SyncJob): string => started_at ?? created_at;

/** When a connector was synced, how long it took, what was read, and what failed. */
export function SyncTimeline({ connector: { id, job } }: { readonly connector: ConnectorOverview }) {
  const jobs = useResource(
    (signal) => api<Page<SyncJob>>(connectorPath(id, `/jobs?limit=${shownJobs}`), { signal }),
    [id, job?.id, job?.status],
  );
  if (jobs.state !== 'done' || jobs.data.data.length < 2) return null;
  const all = jobs.data.data;
  const now = Date.now();
  const first = Math.min(...all.map((each) => Date.parse(startOf(each))));
  const span = Math.max(1, now - first);
  const mostRead = Math.max(1, ...all.map(({ counts }) => counts.read));
  const share = (ms: number) => `${(100 * ms) / span}%`;
  return (
    <figure class="chart timeline">
      <figcaption>
        <strong>{texts.sync.timeline}</strong>
        <span class="legend">
          <span class="one">{texts.sync.withoutFailures}</span>
          {all.some(hasFailed) ? <span class="two">{texts.sync.withFailures}</span> : null}
          {all.some(({ finished_at }) => finished_at === null) ? (
            <span class="running">{texts.status.running}</span>
          ) : null}
        </span>
      </figcaption>
      <div class="lane" role="img" aria-label={texts.sync.timelineOf(all.length)}>
        {all.map((each) => {
          const begun = Date.parse(startOf(each));
          const end = each.finished_at === null ? now : Date.parse(each.finished_at);
          return (
            <span
              key={each.id}
              class={hasFailed(each) ? 'two' : each.finished_at === null ? 'running' : 'one'}
              title={texts.sync.inTimeline(
                exactTime(startOf(each)),
                texts.status[each.status] ?? each.status,
                durationOf(each),
                each.counts.read,
                each.counts.failed,
              )}
              style={{
                left: share(begun - first),
                width: share(end - begun),
                // A sync of twice the records is not twice as high, so that small ones are visible.
                height: `${15 + 85 * Math.sqrt(each.counts.read / mostRead)}%`,
              }}
            />
          );
        })}
      </div>
      <p class="readout ends">
        <Time at={new Date(first).toISOString()} />
        <span>{texts.sync.timelineHelp}</span>
        <span>{texts.sync.timelineEnd}</span>
      </p>
      <details>
        <summary>{texts.chart.numbers}</summary>
        <Table
          caption={texts.sync.timeline}
          rows={all}
          keyOf={({ id: jobId }) => jobId}
          columns={[
            { title: texts.sync.started, cell: (each) => <Time at={startOf(each)} /> },
            { title: texts.state, cell: ({ status }) => <Status of={status} /> },
            { title: texts.duration, numeric: true, cell: durationOf },
            { title: texts.sync.read, numeric: true, cell: ({ counts }) => count(counts.read) },
            { title: texts.sync.failed, numeric: true, cell: ({ counts }) => count(counts.failed) },
          ]}
        />
      </details>
    </figure>
  );
}

const hasFailed = ({ status, counts }: SyncJob): boolean => status === 'failed' || counts.failed > 0;
