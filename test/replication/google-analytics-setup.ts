import { GoogleAnalyticsConnector, type reports } from 'agent-connectors/google-analytics';
import type { StoredRecord } from 'agent-connectors/replication';
import { createSandbox } from 'agent-connectors-sandbox';
import { replication } from '../../connectors/google-analytics/replication/index.js';
import { readyCredentials } from '../connectors/google-analytics/setup.js';
import { type ReplicaOptions, replicaOf } from './replica.js';

export const hour = 3_600_000;
export const day = 24 * hour;

/** Midday in Berlin and early morning in New York, the time zones of the two properties. */
const noon = Date.parse('2026-09-15T10:00:00Z');

/** The replicated reports. */
export const entities = Object.keys(replication.entities) as Array<keyof typeof reports>;

/** Replicas of one sandbox's Analytics, which share its clock. */
export function website({ start = noon, scale = 0.1, rowsOfPage = 10_000 } = {}) {
  const sandbox = createSandbox({ seed: 7, scale, now: () => start });
  const vendor = sandbox.vendors['google-analytics'];
  // Google may return fewer rows than requested.
  const gone = new Set<string>();
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const response = await sandbox.fetch(url, {
      ...init,
      ...(typeof init?.body === 'string' && { body: init.body.replace('"limit":"10000"', `"limit":"${rowsOfPage}"`) }),
    });
    return gone.size > 0 && String(url).includes(':runReport') ? without(gone, response) : response;
  };
  const credentials = readyCredentials(vendor.credentials);
  const ids = vendor.properties;
  const now = () => sandbox.clock.now();
  const open = (config: ReplicaOptions['config'] = {}, timeMs = now, send = fetch) =>
    replicaOf(
      GoogleAnalyticsConnector,
      replication,
      { credentials, fetch: send, retries: 0 },
      { now: timeMs, config: { property_ids: ids.website, start_date: '2026-07-01', ...config } },
    );
  const asked = () =>
    sandbox.requests.filter(({ path, status }) => path.endsWith(':runReport') && status !== 401) as any[];
  const analytics = new GoogleAnalyticsConnector({ credentials, fetch, retries: 0 });
  return { sandbox, vendor, ids, open, asked, analytics, gone };
}

/** A report without the rows that have one of these values. */
async function without(gone: ReadonlySet<string>, response: Response): Promise<Response> {
  const report: any = await response.json();
  const rows = report.rows?.filter(
    ({ dimensionValues }: any) => !dimensionValues.some(({ value }: any) => gone.has(value)),
  );
  return Response.json({ ...report, rows }, response);
}

type Replica = ReturnType<typeof replicaOf>;

/** The rows of a report. */
export const rows = (replica: Replica, entity: string) => [...replica.records(entity).values()];

/** The rows of a report by key, in a fixed order. */
export const contents = (replica: Replica, entity: string) =>
  Object.fromEntries([...replica.records(entity)].sort(([one], [other]) => (one < other ? -1 : 1)));

/** The total of a metric. */
export const sum = (records: readonly StoredRecord[], field: string) =>
  records.reduce((all, record) => all + Number(record[field]), 0);

/** The first and last day of each requested report. */
export const rangesOf = (asked: readonly any[]) =>
  asked.map(({ body }) => [body.dateRanges[0].startDate, body.dateRanges[0].endDate]);
