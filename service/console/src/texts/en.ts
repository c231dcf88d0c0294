const plural = (count: number, one: string, several = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : several}`;

/** The texts of the console in English; every other language has the same ones. */
export const en = {
  cancel: 'Cancel',
  save: 'Save',
  saved: 'Saved.',
  needsScope: (scope: string) => `Your client does not have the scope ${scope}, so nothing can be changed here.`,

  // Connector.
  tabs: { replica: 'Replica', records: 'Records', run: 'Run an action', charts: 'Charts', settings: 'Settings' },
  newCredentials: 'Enter new credentials',
  syncAgain: 'Sync again',
  problems: {
    needs_reauthorization: (vendor: string) => `${vendor} no longer accepts the credentials`,
    no_credentials: () => 'The connector has no credentials yet',
    retrying: () => 'The last sync failed, and is retried automatically',
    failing: () => 'The last sync failed',
  } as Readonly<Record<string, (vendor: string) => string>>,

  // Settings of a connector.
  name: 'Name',
  rename: 'Rename',
  replication: 'Replication',
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
  entitiesHelp: 'Records of other entities are removed from the replica. They stay at the vendor.',
  oneEntity: 'Select at least one entity.',
  credentials: 'Credentials',
  credentialsText: (vendor: string) =>
    `Stored encrypted and never shown. New ones are tested against ${vendor} before they replace the current ones.`,
  anyAccount: 'Allow a different account',
  deleteConnector: 'Delete connector',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deletes: 'This is deleted, and cannot be restored:',
  deletesRecords: (records: number) => `${plural(records, 'replicated record')} and their search index`,
  deletesCredentials: (vendor: string) => `The stored credentials. ${vendor} is asked to revoke its tokens.`,
  deletesRest: 'Its sync history and its policy',
  keeps: (vendor: string) => `Nothing is deleted in ${vendor}, and the audit log is kept.`,
};
