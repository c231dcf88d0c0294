import { setTimeout as pause } from 'node:timers/promises';
import type { AuditEntry, ListAudit, SyncJob } from '../../wire/index.js';
import type { CommandCall } from '../arguments/specification.js';
import { failure } from '../failure.js';
import type { Session } from '../hosted.js';
import { fitToWidth, nearMoment } from '../output/cell.js';
import { rateText, statusLine } from '../output/progress.js';

/** Delay between two looks at the service, in milliseconds. */
const pollMs = 1000;

const hasEnded = ({ status }: SyncJob): boolean => !['queued', 'running'].includes(status);

/** Shows a job's progress on the terminal until it ends: the one with this id, or the newest one. */
export async function watchJob(
  { environment }: CommandCall,
  { client }: Session,
  connectorId: string,
  jobId?: string,
): Promise<SyncJob> {
  const line = statusLine(environment.stderr);
  const begun = Date.now();
  const limit = jobId === undefined ? 1 : 100;
  let recordsBefore: number | undefined;
  try {
    for (;;) {
      const { data } = await client.connectors.jobs(connectorId, { limit });
      const job = jobId === undefined ? data[0] : data.find(({ id }) => id === jobId);
      if (!job) throw failure('not_found', jobId === undefined ? 'The connector has no jobs.' : 'The job was deleted.');
      if (hasEnded(job)) return job;
      recordsBefore ??= job.counts.read;
      const text = progressText(job, job.counts.read - recordsBefore, Date.now() - begun);
      // A line that wraps is not overwritten as a whole.
      line.show(fitToWidth(text, (environment.stderr.columns || 80) - 1).trimEnd());
      await pause(pollMs, undefined, { signal: environment.signal });
    }
  } finally {
    line.clear();
  }
}

/** What a job is reading, with the number of records so far. */
function progressText({ status, entities, counts, next_try_at }: SyncJob, records: number, ms: number): string {
  if (status === 'queued') {
    return next_try_at ? `Waiting; next attempt ${nearMoment(next_try_at, Date.now())}` : 'Waiting for the service';
  }
  const names = entities.filter((entity) => entity.status === 'running').map(({ entity }) => entity);
  const done = entities.filter((entity) => entity.status === 'done').length;
  const failed = counts.failed > 0 ? ` · ${counts.failed} failed` : '';
  const rate = rateText(records, ms);
  const share = entities.length === 0 ? '' : ` · ${done} of ${entities.length} entities done`;
  return `${names.join(', ') || 'Syncing'} · ${counts.read} ${counts.read === 1 ? 'record' : 'records'}${rate && ` · ${rate}`}${failed}${share}`;
}

/** Prints the job's end; the exit code of a failed or cancelled job is 1. */
export async function printEnd({ print }: CommandCall, job: SyncJob): Promise<number> {
  await print.result(job);
  return job.status === 'done' ? 0 : 1;
}

/** Audit entries as they are written, oldest first, starting with the newest `count`; ends only with the command. */
export async function* followAudit(
  { environment }: CommandCall,
  { client }: Session,
  filter: Pick<ListAudit, 'connector_id' | 'from'>,
  count: number,
): AsyncGenerator<AuditEntry> {
  let last: number | undefined;
  for (;;) {
    const entries: AuditEntry[] = [];
    const shown = last ?? 0;
    let cursor: string | undefined;
    do {
      const page = await client.audit.list({ ...filter, limit: last === undefined ? count : 1000, cursor });
      entries.push(...page.data.filter(({ seq }) => seq > shown));
      const oldest = page.data.at(-1)?.seq ?? 0;
      cursor = last !== undefined && oldest > shown ? (page.next ?? undefined) : undefined;
    } while (cursor !== undefined);
    yield* entries.reverse();
    // An empty log has been read, too: what is written next is new, however much it is.
    last = entries.at(-1)?.seq ?? shown;
    await pause(pollMs, undefined, { signal: environment.signal });
  }
}
