import type { AuditEntry, Client, List, Page } from 'agent-connectors/wire';
import { useRef } from 'preact/hooks';
import { Choice } from '../components/field.js';
import { Empty, Unloaded } from '../components/notice.js';
import { Pager } from '../components/pager.js';
import { Status } from '../components/status.js';
import { Table } from '../components/table.js';
import { duration, exactTime } from '../components/time.js';
import { actionName } from '../data/action-name.js';
import { api } from '../data/api.js';
import { groupEntries } from '../data/audit.js';
import { wordsOf } from '../data/record.js';
import { useResource } from '../data/use-resource.js';
import { visibleText } from '../data/visible-text.js';
import { firstPage, useChoices, usePages, useTitle } from '../router.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';

/** Fewer rows than these are followed by those of the next page. */
const fewRows = 15;

/** The audit log, newest entries first. */
export function AuditPage() {
  const { connectors = [] } = useConsole().feed;
  const [query, change] = useChoices();
  const connector = query.get('connector') ?? '';
  const outcome = query.get('outcome') ?? '';
  const span = query.get('since') ?? '';
  const all = query.get('show') === 'all';
  const [cursors, setCursors] = usePages();
  useTitle(texts.audit.title);
  const cursor = cursors.at(-1);
  const entries = useResource(
    async (signal) => {
      const filter = new URLSearchParams({
        limit: '50',
        ...(connector !== '' && { connector_id: connector }),
        ...(outcome !== '' && { outcome }),
        ...(span !== '' && { from: new Date(Date.now() - Number(span)).toISOString() }),
        ...(cursor !== undefined && { cursor }),
      });
      const read = async () => {
        const { data, next } = await api<Page<AuditEntry>>(`/api/v1/audit?${filter}`, { signal });
        // Programs request tokens all the time.
        return {
          data: all ? data : data.filter(({ event, outcome: end }) => event !== 'token' || end !== 'success'),
          next,
        };
      };
      let page = await read();
      // A page of the console sends many reads, which are one row.
      for (let more = 0; more < 5 && page.next !== null && groupEntries(page.data).length < fewRows; more++) {
        filter.set('cursor', page.next);
        const { data, next } = await read();
        page = { data: [...page.data, ...data], next };
      }
      return page;
    },
    [connector, outcome, span, all, cursor],
  );
  const clients = useResource((signal) => api<List<Client>>('/api/v1/clients', { signal }), []);
  const clientName = (id: string | null) =>
    id === null
      ? texts.theService
      : ((clients.state === 'done' ? clients.data.data : []).find((each) => each.id === id)?.name ?? id);
  // A write is recorded before and after it is sent; the second entry includes everything from the first.
  const ended = useRef(new Set<number>());
  if (entries.state === 'done') for (const { begun_as } of entries.data.data) if (begun_as) ended.current.add(begun_as);
  const rows = entries.state === 'done' ? entries.data.data.filter(({ seq }) => !ended.current.has(seq)) : [];
  const nameOf = (id: string | null) => visibleText(connectors.find((each) => each.id === id)?.name ?? id ?? '–');
  return (
    <>
      <h1>{texts.audit.title}</h1>
      <p class="quiet">{texts.audit.text}</p>
      <div class="row">
        <Choice
          label={texts.connector}
          value={connector}
          options={[['', texts.audit.all], ...connectors.map(({ id, name }) => [id, name] as const)]}
          choose={(value) => change({ ...firstPage, connector: value })}
        />
        <Choice
          label={texts.outcome}
          value={outcome}
          options={texts.outcomes}
          choose={(value) => change({ ...firstPage, outcome: value })}
        />
        <Choice
          label={texts.audit.since}
          value={span}
          options={texts.audit.spans}
          choose={(value) => change({ ...firstPage, since: value })}
        />
        <Choice
          label={texts.audit.show}
          value={all ? 'all' : ''}
          options={texts.audit.shown}
          choose={(value) => change({ ...firstPage, show: value })}
        />
      </div>
      <Unloaded resource={entries} />
      {entries.state === 'done' && entries.data.data.length === 0 ? (
        <Empty title={texts.audit.none}>
          <p>{texts.audit.noneText}</p>
        </Empty>
      ) : null}
      {entries.state === 'done' && entries.data.data.length > 0 ? (
        <>
          <Table
            class="compact"
            caption={texts.audit.caption}
            rows={groupEntries(rows)}
            keyOf={([entry]) => String(entry!.seq)}
            columns={[
              { title: texts.when, cell: (group) => <Times group={group} nameOf={nameOf} /> },
              { title: texts.connector, cell: (group) => connectorsOf(group, nameOf) },
              { title: texts.action, lead: true, cell: actionOf },
              { title: texts.outcome, lead: true, cell: ([entry]) => <Status of={entry!.outcome} /> },
              { title: texts.duration, numeric: true, cell: durationOf },
              { title: texts.by, cell: ([entry]) => callerOf(entry!, clientName) },
            ]}
          />
          <Pager cursors={cursors} next={entries.data.next} choose={setCursors} />
        </>
      ) : null}
    </>
  );
}

/** Who acted, and through what. */
const callerOf = ({ client_id, via }: AuditEntry, nameOf: (id: string | null) => string): string =>
  [visibleText(nameOf(client_id)), texts.audit.via[via] ?? via].filter(Boolean).join(' · ');

const EntryTime = ({ at }: AuditEntry) => <time dateTime={at}>{exactTime(at)}</time>;

interface TimesProps {
  readonly group: readonly AuditEntry[];
  readonly nameOf: (connector: string | null) => string;
}

/** Whether a group's entries are of different actions or connectors. */
const isMixed = ([first, ...others]: readonly AuditEntry[]): boolean =>
  others.some((entry) =>
    (['connector_id', 'entity', 'action'] as const).some((field) => entry[field] !== first?.[field]),
  );

/** The connectors of a group, counted if there are more than two. */
function connectorsOf(group: readonly AuditEntry[], nameOf: TimesProps['nameOf']): string {
  const ids = [...new Set(group.map(({ connector_id }) => connector_id))];
  return ids.length > 2 ? texts.connectors.caption(ids.length) : ids.map(nameOf).join(', ');
}

/** The time of a group's newest entry, with the other entries collapsed. */
function Times({ group, nameOf }: TimesProps) {
  const [newest, ...earlier] = group;
  if (earlier.length === 0) return <EntryTime {...newest!} />;
  return (
    <div>
      <EntryTime {...newest!} />
      <details class="quiet">
        <summary>{isMixed(group) ? texts.audit.showAll : texts.audit.repeated(group.length)}</summary>
        {(isMixed(group) ? group : earlier).map((entry) => (
          <div key={entry.seq}>
            <EntryTime {...entry} />
            {isMixed(group) ? (
              <>
                {' '}
                {nameOf(entry.connector_id)} <EntryAction {...entry} />
              </>
            ) : null}
          </div>
        ))}
      </details>
    </div>
  );
}

/** An entry's duration, or the range of durations in a group. */
function durationOf(group: readonly AuditEntry[]): string {
  const all = group.flatMap(({ duration_ms }) => (duration_ms === null ? [] : [duration_ms]));
  if (all.length === 0) return '–';
  return [...new Set([Math.min(...all), Math.max(...all)].map(duration))].join('–');
}

/** The action of a group's entries, or how many different reads a page of the console sent. */
const actionOf = (group: readonly AuditEntry[]) =>
  isMixed(group) ? texts.audit.reads(group.length) : <EntryAction {...group[0]!} />;

function EntryAction({ event, entity, action, effect, intent }: AuditEntry) {
  return (
    <>
      <span title={visibleText(entity && action ? `${entity}.${action}` : event)}>
        {visibleText(entity && action ? actionName(entity, action) : (texts.audit.events[event] ?? wordsOf(event)))}
      </span>
      {effect && effect !== 'read' ? <span class="quiet"> · {effect}</span> : null}
      {intent ? <span class="reason">{visibleText(intent)}</span> : null}
    </>
  );
}
