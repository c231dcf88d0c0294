import { useRef, useState } from 'preact/hooks';
import type { AuditEntry } from '../../../src/data/state/audit/types.js';
import { Choice } from '../components/field.js';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { Pager } from '../components/pager.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { duration, Time } from '../components/time.js';
import { api } from '../data/api.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import type { Page } from '../data/wire.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';

interface NamedClient {
  readonly id: string;
  readonly name: string;
}

const spans = [
  ['', 'All time'],
  ['3600000', 'Last hour'],
  ['86400000', 'Last 24 hours'],
  ['604800000', 'Last 7 days'],
] as const;

/** The audit log, newest entries first. */
export function AuditPage() {
  const { connectors = [] } = useConsole().feed;
  const [connector, setConnector] = useState('');
  const [outcome, setOutcome] = useState('');
  const [span, setSpan] = useState('');
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const entries = useResource(
    (signal) => {
      const query = new URLSearchParams({
        limit: '50',
        ...(connector !== '' && { connector_id: connector }),
        ...(outcome !== '' && { outcome }),
        ...(span !== '' && { from: new Date(Date.now() - Number(span)).toISOString() }),
        ...(cursor !== undefined && { cursor }),
      });
      return api<Page<AuditEntry>>(`/api/v1/audit?${query}`, { signal });
    },
    [connector, outcome, span, cursor],
  );
  const clients = useResource((signal) => api<Page<NamedClient>>('/api/v1/clients', { signal }), []);
  const clientName = (id: string | null) =>
    id === null
      ? texts.theService
      : ((clients.state === 'done' ? clients.data.data : []).find((each) => each.id === id)?.name ?? id);
  // A write is put down before and after: the second says all that the first does.
  const ended = useRef(new Set<number>());
  if (entries.state === 'done') for (const { begun_as } of entries.data.data) if (begun_as) ended.current.add(begun_as);
  const rows = entries.state === 'done' ? entries.data.data.filter(({ seq }) => !ended.current.has(seq)) : [];
  const nameOf = (id: string | null) => visibleText(connectors.find((each) => each.id === id)?.name ?? id ?? '–');
  return (
    <>
      <h1>Audit log</h1>
      <p class="quiet">Who did what, and the outcome. Parameters are stored as digests only.</p>
      <div class="row">
        <Choice
          label="Connector"
          value={connector}
          options={[['', 'All'], ...connectors.map(({ id, name }) => [id, name] as const)]}
          choose={(value) => {
            setConnector(value);
            setCursors([]);
          }}
        />
        <Choice
          label={texts.outcome}
          value={outcome}
          options={texts.outcomes}
          choose={(value) => {
            setOutcome(value);
            setCursors([]);
          }}
        />
        <Choice
          label="Since"
          value={span}
          options={spans}
          choose={(value) => {
            setSpan(value);
            setCursors([]);
          }}
        />
      </div>
      {entries.state === 'loading' ? <Loading what="the log" /> : null}
      {entries.state === 'failed' ? <ErrorNotice error={entries.error} retry={entries.reload} /> : null}
      {entries.state === 'done' && entries.data.data.length === 0 ? (
        <Empty title="No entries">
          <p>Actions and connector changes are recorded here.</p>
        </Empty>
      ) : null}
      {entries.state === 'done' && entries.data.data.length > 0 ? (
        <>
          <Table
            caption="Entries, newest first"
            rows={rows}
            keyOf={({ seq }) => String(seq)}
            columns={[
              { title: 'When', cell: ({ at }) => <Time at={at} /> },
              { title: 'Connector', cell: ({ connector_id }) => nameOf(connector_id) },
              { title: 'Action', cell: (entry) => <EntryAction {...entry} /> },
              { title: 'Outcome', cell: ({ outcome }) => <Status of={outcome} /> },
              {
                title: 'Duration',
                numeric: true,
                cell: ({ duration_ms }) => (duration_ms === null ? '–' : duration(duration_ms)),
              },
              { title: 'By', cell: ({ client_id, via }) => `${visibleText(clientName(client_id))}, ${via}` },
            ]}
          />
          <Pager cursors={cursors} next={entries.data.next} choose={setCursors} />
        </>
      ) : null}
    </>
  );
}

function EntryAction({ event, entity, action, effect, intent }: AuditEntry) {
  return (
    <>
      <code>{visibleText(entity && action ? `${entity}.${action}` : event)}</code>
      {effect && effect !== 'read' ? <span class="quiet"> {effect}</span> : null}
      {intent ? <span class="reason">{visibleText(intent)}</span> : null}
    </>
  );
}
