import type { ActionDescription, EntityDescription } from '../../manifest/describe.js';

/** What is known by the time that a read is tried: ids that earlier reads brought, and what the user gave. */
export interface Known {
  readonly given: Readonly<Record<string, string | undefined>>;
  /** First records of entities that have been read. */
  readonly records: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly now: number;
}

/** A value, or the entity and field in which it is found. */
type Source = (known: Known) => unknown;

const day = 24 * 60 * 60 * 1000;
const field =
  (entity: string, name: string): Source =>
  ({ records }) =>
    records.get(entity)?.[name] ?? undefined;
const given =
  (name: string): Source =>
  ({ given: all }) =>
    all[name];
const daysAgo =
  (days: number): Source =>
  ({ now }) =>
    `${new Date(now - days * day).toISOString().slice(0, 10)}T00:00:00Z`;

/** Where parameters of cheap reads are found, by their names: the one place that says it. */
const sources: Readonly<Record<string, Source>> = {
  first: () => 1,
  pageSize: () => 1,
  page_size: () => 1,
  limit: () => 1,
  property_id: given('property_id'),
  issueId: field('issues', 'id'),
  fileId: field('files', 'id'),
  commentId: field('comments', 'id'),
  workspaceId: field('workspaces', 'id'),
  'workspace-id': field('workspaces', 'id'),
  'manager-id': field('users', 'id'),
  folderId: field('library_folders', 'id'),
  pageToken: field('changes_start_page_token', 'startPageToken'),
  returnPropertyQuota: () => true,
  from: daysAgo(8),
  to: daysAgo(1),
};

/** Filters, which differ between entities. */
const filters: Readonly<Record<string, (known: Known) => object | undefined>> = {
  calls_extensive: (known) => ({ fromDateTime: daysAgo(8)(known), toDateTime: daysAgo(1)(known) }),
  call_transcripts: (known) => ({ fromDateTime: daysAgo(8)(known), toDateTime: daysAgo(1)(known) }),
  stats_activity_scorecards: (known) => ({ fromDateTime: daysAgo(8)(known), toDateTime: daysAgo(1)(known) }),
  stats_activity_aggregate: (known) => days(known),
  stats_activity_day_by_day: (known) => days(known),
  stats_interaction: (known) => days(known),
};

const days = (known: Known) => ({
  fromDate: String(daysAgo(8)(known)).slice(0, 10),
  toDate: String(daysAgo(1)(known)).slice(0, 10),
});

/** A cheap read of one entity, or why there is none. */
export type Probe =
  | { readonly action: string; readonly params: Readonly<Record<string, unknown>> }
  | { readonly lacks: string };

/** Optional parameters that make a read cheaper, or tell more. */
const welcome = ['first', 'pageSize', 'page_size', 'limit', 'returnPropertyQuota'];

/** Parameters that the vendor wants although the schema does not. */
const wanted: Readonly<Record<string, readonly string[]>> = { changes: ['pageToken'] };

/** Chooses the cheapest read of an entity that the parameters at hand allow. */
export function probeOf({ name, actions }: EntityDescription, known: Known): Probe {
  const reads = actions.filter(({ effect, binary, hosted_only }) => effect === 'read' && !binary && !hosted_only);
  if (reads.length === 0) {
    return { lacks: actions.some(({ binary }) => binary) ? 'it has downloads alone' : 'it has writes alone' };
  }
  const tried = reads.map((action) => paramsOf(name, action, known));
  const ready = tried.find((probe) => 'params' in probe);
  return ready ?? tried[0]!;
}

function paramsOf(entity: string, { name, params: schema }: ActionDescription, known: Known): Probe {
  const { properties = {}, required = [] } = schema as { properties?: object; required?: string[] };
  const params: Record<string, unknown> = {};
  const names = [...required, ...(wanted[entity] ?? []), ...welcome.filter((each) => each in properties)];
  for (const parameter of names) {
    const value = parameter === 'filter' ? filters[entity]?.(known) : sources[parameter]?.(known);
    if (value === undefined) return { lacks: lack(parameter) };
    params[parameter] = value;
  }
  return { action: name, params };
}

const lack = (parameter: string): string =>
  parameter === 'property_id'
    ? 'it needs a property_id: pass it in the argument, or set GOOGLE_ANALYTICS_PROPERTY_ID'
    : `there is no record yet that would give its ${parameter}`;

/** Parameters that users give themselves, from the argument or the environment. */
export const givenBy = (
  argument: Readonly<Record<string, any>>,
  env: Readonly<Record<string, string | undefined>>,
): Known['given'] => ({
  property_id: argument.property_id ?? (env.GOOGLE_ANALYTICS_PROPERTY_ID?.trim() || undefined),
});
