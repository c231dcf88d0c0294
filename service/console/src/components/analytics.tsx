import type { ConnectorOverview, Gap } from 'agent-connectors/wire';
import { searchRecords } from '../data/execute.js';
import type { Fields } from '../data/record.js';
import { useResource } from '../data/use-resource.js';
import { Link } from '../router.js';
import { locale, texts } from '../texts/index.js';
import { Chart } from './activity-charts.js';
import { Empty, Unloaded } from './notice.js';
import { Table } from './table.js';
import { count, percent, withDates } from './time.js';

/** Days that are shown, and compared with as many days before. */
const shownDays = 28;
const dayMs = 86_400_000;

/** The reports that are shown as lists, with their dimension. */
const lists = [
  ['traffic_sources', 'sessionSource', 'sessions'],
  ['pages', 'pagePathPlusQueryString', 'screenPageViews'],
  ['devices', 'deviceCategory', 'sessions'],
  ['locations', 'country', 'sessions'],
] as const;

const dayName = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Whether a connector has reports about visits. */
export const hasVisits = ({ entities }: ConnectorOverview): boolean =>
  entities.some(({ entity, status }) => entity === 'website_overview' && status !== 'not_configured');

/** Visits to a website, from the replica alone. */
export function Analytics({ connector }: { readonly connector: ConnectorOverview }) {
  const { id, job } = connector;
  const days = useResource(() => visitsByDay(id), [id, job?.status]);
  if (days.state !== 'done') return <Unloaded resource={days} />;
  const { shown, before } = days.data;
  const [last] = shown.slice(-1);
  if (!last) {
    return (
      <Empty title={texts.analytics.none}>
        <p>{texts.analytics.noneText}</p>
      </Empty>
    );
  }
  const gaps = connector.entities.find(({ entity }) => entity === 'website_overview')?.missing ?? [];
  const withheld = gaps.filter(({ reason }) => reason === 'withheld');
  const marked = new Set(
    shown.map(({ date }) => timeOf(date)).filter((time) => withheld.some((gap) => isWithin(time, gap))),
  );
  return (
    <section aria-label={texts.analytics.title}>
      <div class="chart-grid">
        {(['sessions', 'users'] as const).map((name) => (
          <Chart
            key={name}
            title={texts.analytics.perDay[name]}
            kind="lines"
            unit="day"
            times={shown.map(({ date }) => timeOf(date))}
            labels={shown.map(({ date }) => dayName.format(timeOf(date)))}
            series={[
              { name: texts.analytics.names[name], tone: 'one', values: shown.map((day) => day[name]) },
              ...(before.some((day) => day[name] !== null)
                ? [
                    {
                      name: texts.analytics.before,
                      tone: 'three',
                      values: before.map((day) => day[name]),
                      dashed: true,
                    } as const,
                  ]
                : []),
            ]}
            marked={marked}
            note={change(
              shown.map((day) => day[name]),
              before.map((day) => day[name]),
            )}
          />
        ))}
      </div>
      {withheld.map(({ detail }) => (
        <p key={detail} class="notice">
          {withDates(detail)}
        </p>
      ))}
      <div class="chart-grid">
        {lists
          .filter(([entity]) =>
            connector.entities.some((each) => each.entity === entity && each.status !== 'not_configured'),
          )
          .map(([entity, dimension, metric]) => (
            <TopList
              key={entity}
              id={id}
              entity={entity}
              dimension={dimension}
              metric={metric}
              from={shown[0]!.date}
              to={last.date}
            />
          ))}
      </div>
    </section>
  );
}

/** Whether a gap names its days, and this one is among them. */
function isWithin(time: number, { detail, permanent }: Gap): boolean {
  if (permanent) return false;
  const dates = (detail.match(/\d{4}-\d\d-\d\d/g) ?? []).map((date) => Date.parse(date));
  return dates.length > 0 && time >= Math.min(...dates) && time <= Math.max(...dates);
}

interface Day {
  /** `YYYYMMDD`. */
  readonly date: string;
  readonly sessions: number | null;
  readonly users: number | null;
}

const timeOf = (date: string): number => Date.parse(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T00:00Z`);
const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10).replaceAll('-', '');

/** A date where the reader is, as `YYYYMMDD`. */
const localDate = (at: Date): string =>
  String(at.getFullYear() * 10_000 + (at.getMonth() + 1) * 100 + at.getDate()).padStart(8, '0');

/** The last complete days that the replica has, and the days before; days without a row are unknown. */
async function visitsByDay(id: string): Promise<{ readonly shown: readonly Day[]; readonly before: readonly Day[] }> {
  const { data } = await searchRecords(id, 'website_overview', {
    query: {
      groupBy: 'date',
      aggregates: { sessions: { sum: 'sessions' }, users: { sum: 'totalUsers' } },
      sort: [{ date: 'desc' }],
    },
    limit: 2 * shownDays + 1,
  });
  const rows = new Map((data as readonly Fields[]).map((row) => [String(row.date), row]));
  const all = [...rows.keys()].sort();
  // The visits of today are not all counted yet.
  const complete = all.filter((date) => date < localDate(new Date()));
  const newest = complete.at(-1) ?? all.at(-1);
  if (newest === undefined) return { shown: [], before: [] };
  const end = timeOf(newest);
  const oldest = timeOf(all[0]!);
  const dayAt = (time: number): Day => {
    const row = rows.get(dateOf(time));
    const numberOf = (name: string) => (typeof row?.[name] === 'number' ? (row[name] as number) : null);
    return { date: dateOf(time), sessions: numberOf('sessions'), users: numberOf('users') };
  };
  const length = Math.min(shownDays, Math.round((end - oldest) / dayMs) + 1);
  const times = Array.from({ length }, (_, index) => end - (length - 1 - index) * dayMs);
  return { shown: times.map(dayAt), before: times.map((time) => dayAt(time - length * dayMs)) };
}

/** How the sum changed from the days before, if all of them are known. */
function change(shown: ReadonlyArray<number | null>, before: ReadonlyArray<number | null>): string {
  const sum = (values: ReadonlyArray<number | null>) =>
    values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const total = sum(shown);
  const isComparable = before.length > 0 && !before.includes(null) && sum(before) > 0;
  if (!isComparable) return texts.analytics.total(count(total), shown.length);
  const share = (total - sum(before)) / sum(before);
  return texts.analytics.compared(count(total), shown.length, `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`);
}

interface TopListProps {
  readonly id: string;
  readonly entity: string;
  readonly dimension: string;
  readonly metric: string;
  /** First and last day, as `YYYYMMDD`. */
  readonly from: string;
  readonly to: string;
}

function TopList({ id, entity, dimension, metric, from, to }: TopListProps) {
  const found = useResource(async () => {
    const query = {
      filter: { and: [{ gte: { date: from } }, { lte: { date: to } }] },
      aggregates: { total: { sum: metric } },
    };
    const [rows, all] = await Promise.all([
      searchRecords(id, entity, { query: { ...query, groupBy: dimension, sort: [{ total: 'desc' }] }, limit: 8 }),
      searchRecords(id, entity, { query }),
    ]);
    const sum = Math.max(1, Number((all.data as readonly Fields[])[0]?.total ?? 0));
    return (rows.data as readonly Fields[]).map((row) => ({
      name: String(row[dimension] ?? '–'),
      total: Number(row.total ?? 0),
      share: Number(row.total ?? 0) / sum,
    }));
  }, [id, entity, from, to]);
  if (found.state !== 'done') return <Unloaded resource={found} />;
  if (found.data.length === 0) return null;
  return (
    <section class="chart">
      <h2>
        <Link to={`/connectors/${id}/records/${entity}`}>{texts.analytics.lists[entity] ?? entity}</Link>
      </h2>
      <Table
        class="lines compact ranks"
        caption={texts.analytics.metrics[metric] ?? metric}
        rows={found.data}
        keyOf={({ name }) => name}
        columns={[
          { title: texts.name, lead: true, cell: ({ name }) => <span title={name}>{name}</span> },
          {
            title: texts.analytics.share,
            cell: ({ name, share }) => (
              <span class="share">
                <meter min={0} max={1} value={share} aria-label={name} /> {percent(share)}
              </span>
            ),
          },
          { title: texts.analytics.count, numeric: true, cell: ({ total }) => count(total) },
        ]}
      />
    </section>
  );
}
