import type { ConnectorCheck, ConnectorOverview, Page, SyncJob } from 'agent-connectors/wire';
import { useState } from 'preact/hooks';
import { EntityProgress } from '../components/entity-progress.js';
import { Empty, ErrorNotice, Unloaded } from '../components/notice.js';
import { causeOf, needsCredentials, reasonOf } from '../components/problem.js';
import { Status } from '../components/status.js';
import { durationOf, SyncTimeline } from '../components/sync-timeline.js';
import { Table } from '../components/table.js';
import { count, Time } from '../components/time.js';
import { api, connectorPath } from '../data/api.js';
import { wordsOf } from '../data/record.js';
import { useResource } from '../data/use-resource.js';
import { texts } from '../texts/index.js';

interface ActionResult {
  readonly what: 'sync' | 'check';
  readonly note: string;
}

/** Readiness of each entity, and recent jobs. */
export function ReplicaTab({ connector }: { readonly connector: ConnectorOverview }) {
  const { id, job, entities, health } = connector;
  const isBlocked = needsCredentials(connector);
  const jobs = useResource(
    (signal) => api<Page<SyncJob>>(connectorPath(id, '/jobs?limit=10'), { signal }),
    [id, job?.id, job?.status, job?.read, job?.failed],
  );
  const [result, setResult] = useState<ActionResult>();
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const runAction = async (work: () => Promise<ActionResult>) => {
    setBusy(true);
    setError(undefined);
    setResult(undefined);
    await work().then(setResult, setError);
    setBusy(false);
  };
  const sync = async (): Promise<ActionResult> => {
    await api(connectorPath(id, '/sync'), { method: 'POST' });
    return { what: 'sync', note: texts.sync.queued };
  };
  const check = async (): Promise<ActionResult> => {
    const { status, error_message } = await api<ConnectorCheck>(connectorPath(id, '/check'), { method: 'POST' });
    return {
      what: 'check',
      note:
        status === 'succeeded'
          ? texts.sync.works
          : texts.sync.checkFailed(texts.status[status] ?? status, error_message),
    };
  };
  return (
    <>
      <div class="buttons">
        <button
          type="button"
          class={isBlocked ? undefined : 'primary'}
          disabled={busy || isBlocked}
          onClick={() => runAction(sync)}
        >
          {texts.sync.now}
        </button>
        <button type="button" disabled={busy || health === 'no_credentials'} onClick={() => runAction(check)}>
          {texts.sync.check}
        </button>
      </div>
      <p class="said" role="status">
        {result?.note}
      </p>
      {error ? <ErrorNotice error={error} /> : null}
      {entities.length === 0 ? (
        <Empty title={texts.sync.noEntities}>
          <p>{texts.sync.noEntitiesText}</p>
        </Empty>
      ) : (
        <Entities
          connector={connector}
          job={jobs.state === 'done' ? jobs.data.data.find(({ status }) => status === 'running') : undefined}
        />
      )}
      <h2>{texts.sync.jobs}</h2>
      <SyncTimeline connector={connector} />
      <Unloaded resource={jobs} />
      {jobs.state === 'done' && jobs.data.data.length === 0 ? (
        <Empty title={texts.sync.noJobs}>
          <p>{texts.sync.noJobsText}</p>
        </Empty>
      ) : null}
      {jobs.state === 'done' && jobs.data.data.length > 0 ? <Jobs jobs={jobs.data.data} /> : null}
    </>
  );
}

interface EntitiesProps {
  readonly connector: ConnectorOverview;
  /** The running job, if any. */
  readonly job: SyncJob | undefined;
}

const Entities = ({ connector, job }: EntitiesProps) => (
  <Table
    caption={texts.entities}
    class="compact titled"
    rows={connector.entities}
    keyOf={({ entity }) => entity}
    columns={[
      { title: texts.entity, lead: true, cell: ({ entity }) => <span title={entity}>{wordsOf(entity)}</span> },
      {
        title: texts.state,
        cell: ({ entity, status, error, missing }) => (
          <>
            <Status of={status} />
            <EntityProgress of={job?.entities.find((each) => each.entity === entity)} />
            {missing.map(({ state, cause, count: files = 0 }) =>
              state === undefined ? null : (
                <span key={`${state} ${cause}`} class="reason">
                  {texts.sync.unread(files, state, cause)}
                </span>
              ),
            )}
            {error === null || reasonOf(error) === causeOf(connector) ? null : (
              <span class="reason">{reasonOf(error)}</span>
            )}
          </>
        ),
      },
      { title: texts.connectors.searchable, cell: ({ ready_for_search }) => (ready_for_search ? texts.yes : texts.no) },
      {
        title: texts.sync.byMeaning,
        cell: ({ semantic }) =>
          semantic.length === 0 ? <span class="quiet">{texts.no}</span> : semantic.map(({ field }) => field).join(', '),
      },
      { title: texts.tabs.records, numeric: true, cell: ({ entity_count }) => count(entity_count) },
      { title: texts.connectors.lastSync, cell: ({ synced_at }) => <Time at={synced_at} /> },
    ]}
  />
);

const Jobs = ({ jobs }: { readonly jobs: readonly SyncJob[] }) => (
  <Table
    caption={texts.sync.latest}
    class="compact titled"
    rows={jobs}
    keyOf={({ id }) => id}
    columns={[
      {
        title: texts.sync.started,
        lead: true,
        cell: ({ started_at, created_at }) => <Time at={started_at ?? created_at} />,
      },
      { title: texts.sync.trigger, cell: ({ requested }) => texts.sync.triggers[requested] ?? requested },
      { title: texts.state, cell: (job) => <JobState job={job} /> },
      { title: texts.sync.read, numeric: true, cell: ({ counts }) => count(counts.read) },
      { title: texts.sync.changed, numeric: true, cell: ({ counts }) => count(counts.inserted + counts.updated) },
      { title: texts.sync.removed, numeric: true, cell: ({ counts }) => count(counts.removed) },
      { title: texts.sync.failed, numeric: true, cell: ({ counts }) => count(counts.failed) },
      { title: texts.duration, numeric: true, cell: (job) => durationOf(job) },
    ]}
  />
);

function JobState({ job: { status, next_try_at, entities, error } }: { readonly job: SyncJob }) {
  const failing = entities.filter(
    ({ error: fault, failures, unread = [] }) => fault !== null || failures.length > 0 || unread.length > 0,
  );
  return (
    <>
      <Status of={status} />
      {next_try_at === null ? null : (
        <span class="reason">
          {texts.sync.retry} <Time at={next_try_at} />
        </span>
      )}
      {error === null && failing.length === 0 ? null : (
        <details>
          <summary>{texts.sync.details}</summary>
          {error === null ? null : <p>{error}</p>}
          <ul>
            {failing.map((one) => (
              <li key={one.entity}>
                {wordsOf(one.entity)}: {one.error}
                {(one.unread ?? []).map(({ state, cause, count: files }) => (
                  <p key={`${state} ${cause}`} class="quiet">
                    {texts.sync.unread(files, state, cause)}
                  </p>
                ))}
                {one.failures.map(({ id, message }) => (
                  <p key={id} class="quiet">
                    <code>{id}</code> {message}
                  </p>
                ))}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
