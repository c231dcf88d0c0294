import { number } from '../locale.js';
import { plural } from './plural.js';

/** Text for the connector and record pages. */
export const connectors = {
  // List of connectors.
  connectors: {
    ...{ title: 'Connectors', all: 'All connectors', allWorkspaces: 'All workspaces', missing: 'Connector not found' },
    vendor: 'Vendor',
    ...{ live: 'Live', reconnecting: 'Reconnecting', add: 'Add a connector', goOn: 'Continue to setup', type: 'Type' },
    ...{ searchable: 'Searchable', lastSync: 'Last sync', progress: 'Sync progress', none: 'No connectors yet' },
    noneText: 'Add one here, or use `agent-connectors connectors create` or `POST /api/v1/integrations/connectors`.',
    nameHelp: 'Unique in the workspace, such as “Our issues”.',
    caption: (count: number) => plural(count, 'connector'),
    place: (vendor: string, workspace: string) => `${vendor} in workspace ${workspace}`,
    readyEntities: (ready: number, all: number) => `${number(ready)} of ${plural(all, 'entity', 'entities')}`,
  },
  status: {
    ...{ fresh: 'Up to date', stale: 'Out of date', ready: 'Ready', done: 'Done', success: 'Success' },
    ...{ succeeded: 'Succeeded', syncing: 'Syncing', updating: 'Updating', running: 'Running' },
    ...{ begun: 'Started', initializing: 'First sync', queued: 'Queued', waiting: 'Waiting' },
    ...{ retrying: 'Retrying', inconclusive: 'Inconclusive', failing: 'Failing', failed: 'Failed' },
    ...{ needs_reauthorization: 'Credentials rejected', no_credentials: 'No credentials' },
    ...{ not_replicated: 'Not synced', not_configured: 'Not synced', cancelled: 'Cancelled' },
    ...{ enabled: 'Enabled', disabled: 'Disabled', delivered: 'Delivered', pending: 'Pending' },
    ...{ approved: 'Approved', executed: 'Executed', refused: 'Refused', expired: 'Expired' },
  } as Readonly<Record<string, string>>,

  // Connector.
  tabs: { replica: 'Sync', records: 'Records', run: 'Run an action', charts: 'Charts', settings: 'Settings' },
  newCredentials: 'Enter new credentials',
  enterCredentials: 'Enter credentials',
  reconnect: 'Reconnect',
  forConnector: (action: string, name: string) => `${action}: ${name}`,
  setupText: (vendor: string) => `Enter the credentials for ${vendor}. The first sync then starts automatically.`,
  syncAgain: 'Sync again',
  problems: {
    needs_reauthorization: (vendor: string) => `${vendor} rejected the credentials`,
    no_credentials: (vendor) => `Connect ${vendor}`,
    retrying: () => 'The last sync failed, and is retried automatically',
    failing: () => 'The last sync failed',
  } as Readonly<Record<string, (vendor: string) => string>>,

  // Records.
  entity: 'Entity',
  sortBy: 'Sort by',
  newestFirst: (field: string) => `${field}, newest first`,
  storedOrder: 'Stored order',
  columns: 'Columns',
  filter: 'Filter',
  noRecords: 'No records',
  recordRange: (from: number, to: number, total: number | null) =>
    `${number(from)}–${number(to)}${total === null ? '' : ` of ${number(total)}`}`,
  noRecordsText: 'Nothing matches, or the entity has not been synced yet.',
  notReplicated: 'This connector syncs no records',
  notReplicatedText: 'Actions read directly from the vendor.',
  previous: 'Previous',
  next: 'Next',
  recordMissing: 'Record not found',
  recordMissingText: 'It may have been deleted at the vendor, or may not be synced yet.',
  allRecords: (entity: string) => `All ${entity}`,
  openAt: (vendor: string) => `Open in ${vendor}`,
  related: 'Linked records',
  newTab: '(new tab)',
  image: (alt: string) => `Image: ${alt}`,
  codeBlock: 'Code',
  table: 'Table',
  textCut: (length: number) => `The first ${number(length)} characters are shown. The JSON view shows the full text.`,

  // Settings of a connector.
  name: 'Name',
  rename: 'Rename',
  replication: 'Sync',
  interval: 'Sync interval',
  intervals: {
    '15m': 'Every 15 minutes',
    '1h': 'Every hour',
    '6h': 'Every 6 hours',
    '1d': 'Once a day',
  } as Readonly<Record<string, string>>,
  defaultInterval: 'Every hour (default)',
  everyInterval: (interval: string) => `Every ${interval}`,
  entities: 'Searchable entities',
  entitiesHelp: 'Records of unselected entities are removed from this service. Nothing is deleted at the vendor.',
  oneEntity: 'Select at least one entity.',
  credentials: 'Credentials',
  credentialsText: (vendor: string) =>
    `Stored encrypted and never shown. New credentials are tested against ${vendor} before they replace the current ones.`,
  anyAccount: (vendor: string) => `Allow credentials from a different ${vendor} account`,
  deleteConnector: 'Delete connector',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deletes: 'This can’t be undone. You will delete:',
  deletesRecords: (records: number) => `${plural(records, 'synced record')} and their search index`,
  deletesCredentials: (vendor: string) =>
    `The stored credentials. If possible, their tokens are also revoked at ${vendor}.`,
  deletesRest: 'Its sync history and its policy',
  keeps: (vendor: string) => `Nothing is deleted in ${vendor}, and the audit log is kept.`,

  // Syncs of a connector.
  sync: {
    ...{ now: 'Sync now', check: 'Check credentials', works: 'The credentials work.', byMeaning: 'Search by meaning' },
    ...{
      queued: 'Sync queued. Its progress is shown under Recent syncs.',
      jobs: 'Recent syncs',
      latest: 'Newest first',
    },
    checkFailed: (status: string, error: string | null) => (error === null ? status : `${status}: ${error}`),
    noEntities: 'No searchable entities',
    noEntitiesText: 'This connector’s actions always read from the vendor.',
    noJobs: 'No syncs yet',
    noJobsText: 'The first sync starts automatically once the connector has credentials.',
    triggers: { first: 'First sync', interval: 'Scheduled', request: 'Requested' } as Readonly<Record<string, string>>,
    ...{
      started: 'Started',
      trigger: 'Trigger',
      read: 'Read',
      changed: 'Changed',
      removed: 'Removed',
      failed: 'Failed',
    },
    ...{ retry: 'retry', details: 'Details' },
  },

  // Running an action.
  run: {
    ...{ noActions: 'No actions', input: 'Parameter input', form: 'Form', params: 'Parameters', running: 'Running …' },
    ...{ run: 'Run', download: 'Download', send: 'Send', commandLine: 'Command line', body: 'Request body' },
    ...{ noBody: 'No body', choose: 'Choose', notSet: 'Not set', onePerLine: 'One per line.' },
    /** Labels for parameters with unclear names. */
    paramLabels: { first: 'Page size', after: 'Page cursor', q: 'Query' } as Readonly<Record<string, string>>,
    runNamed: (action: string) => `Run ${action.toLowerCase()} …`,
    noParams: 'This action has no parameters.',
    reasonHelp: 'Optional. Recorded in the audit log.',
    confirmTitle: (action: string, entities: string, vendor: string) =>
      `${action} this ${entities.toLowerCase().replace(/ies$/, 'y').replace(/s$/, '')} in ${vendor}?`,
    showRequest: 'Show request',
    willBeSent: (vendor: string, name: string) =>
      `This request will be sent to ${vendor} using the credentials for “${name}”.`,
    deletesData: 'It deletes data.',
    exactly: 'Either this exact request is sent, or nothing is sent.',
    invalidJson: (error: string) => `Invalid JSON: ${error}`,
  },
  result: {
    ...{ title: 'Result', view: 'Result view', data: 'Data', meta: 'Meta', tryOther: 'Try different parameters.' },
    records: (count: number, time: string) => `${plural(count, 'record')} in ${time}`,
    fields: (shown: number, all: number) =>
      shown < all ? `${number(shown)} of ${plural(all, 'field')}.` : plural(all, 'field'),
    firstRows: (shown: number, all: number) => `First ${number(shown)} of ${plural(all, 'record')}.`,
  },

  // Charts.
  chart: {
    described: (title: string) => `${title}. A data table follows.`,
    ...{
      numbers: 'Show as a table',
      changed: 'changed',
      failed: 'failed',
      records: 'Records synced and failed per day',
    },
    noFreshness: 'No freshness data',
    noFreshnessText: 'Available after the first sync.',
    noCalls: 'No calls in the last 24 hours',
    noCallsText: 'Call latency appears here after an action runs.',
    latency: 'Call latency, last 24 h (p50, p95)',
  },
  quota: {
    ...{ title: 'Vendor quota', perDay: 'per day', perMinute: 'per minute' },
    leftOf: (name: string) => `${name}: left`,
    left: (count: number) => `${number(count)} left`,
    leftOfLimit: (count: number, limit: number) => `${number(count)} of ${number(limit)} left`,
    notReported: (vendor: string) => `${vendor} does not report its remaining quota.`,
    othersNotCounted: 'Requests from other programs are not counted here.',
    sent: (minute: number, day: number) =>
      `Requests sent by this service: ${number(minute)} in the last minute, ${number(day)} in the last 24 hours. Counting started`,
    notLimited: 'No requests were rate-limited.',
    lastLimited: 'Last rate-limited:',
    noneReported: 'The report did not include a quota.',
  },
  freshness: 'Freshness: last sync',
  notSynced: 'not synced yet',

  // Search.
  search: {
    ...{ title: 'Search', searching: 'Searching …', mode: 'Search mode', byWords: 'By words', query: 'Query' },
    ...{
      byConditions: 'By conditions',
      rankBy: 'Rank by',
      results: 'Results',
      noResults: 'No results',
      match: 'Match',
    },
    ...{
      all: 'All conditions',
      any: 'Any condition',
      sortDown: 'Sort descending by',
      unsorted: 'None',
      remove: 'Remove',
    },
    ...{ field: 'Field', operator: 'Operator', value: 'Value', chooseValue: 'Choose', several: 'one, two' },
    ...{ addCondition: 'Add condition', params: 'Request parameters', noRecords: 'No searchable records' },
    modes: [
      ['', 'Automatic'],
      ['lexical', 'Words'],
      ['dense', 'Meaning'],
      ['hybrid', 'Words and meaning'],
    ] as ReadonlyArray<readonly [string, string]>,
    nothing: 'Nothing to search yet',
    nothingText: 'Add a connector. Its records become searchable during the first sync.',
    noResultsText: 'Try different words, or search by conditions. Connectors still syncing are listed above.',
    condition: (at: number) => `Condition ${number(at)}`,
    removeCondition: (at: number) => `Remove condition ${number(at)}`,
    found: (count: number, time: string) => `${plural(count, 'result')} in ${time}`,
    rankers: { lexical: 'words', dense: 'meaning', hybrid: 'words and meaning' } as Readonly<Record<string, string>>,
    rankedBy: (rankers: readonly string[]) => `ranked by ${rankers.join(', or by ')}`,
    types: { string: 'text', integer: 'number', boolean: 'true or false', array: 'text', object: 'text' } as Readonly<
      Record<string, string>
    >,
    skipped: (names: readonly string[]) => `Not searched, or only partially: ${names.join(', ')}`,
    notReady: (names: readonly string[]) => `Not searchable until they are connected and synced: ${names.join(', ')}`,
    source: (entity: string, field: string) => `${entity}, ${field.toLowerCase()}`,
  },
  operators: {
    ...{ eq: 'is', neq: 'is not', gt: 'is greater than', gte: 'is at least', lt: 'is less than' },
    ...{ lte: 'is at most', in: 'is one of', like: 'matches pattern (% = any text)' },
    ...{ fuzzy: 'has words similar to', keyword: 'contains any of these words', startswith: 'starts with' },
    ...{ endswith: 'ends with', contains: 'contains', any: 'contains one of' },
  } as Readonly<Record<string, string>>,
};
