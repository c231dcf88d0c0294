import type { Replica, Search, StoredRecord } from '../../../src/authoring.js';
import * as searchable from '../searchable.js';
import { withheldBeforeStart } from './calls.js';
import { pages } from './pages.js';
import { sweepOf } from './sweep.js';
import { type Period, readInWindows } from './windows.js';

/** Reduces records to their searchable fields. */
function fieldsOf({ fields }: Search): (record: StoredRecord) => StoredRecord {
  const names = Object.values(fields).flat();
  return (record) => Object.fromEntries(names.map((name) => [name, record[name] ?? null]));
}

/** Replication of users; every run reads all of them. */
export const users: Replica = {
  async *read(source) {
    let read = 0;
    for await (const { data, meta } of pages((cursor) => source.execute('users', 'list', cursor ? { cursor } : {}))) {
      const { total_records } = meta;
      read += data.length;
      const progress = Math.min(1, read / Math.max(1, total_records));
      yield { records: data, state: null, progress, ...(total_records > 0 && { total: total_records }) };
    }
  },
  sweep: 'all',
};

const scorecardOf = fieldsOf(searchable.settings_scorecards);

/** Replication of scorecard templates; every run reads all of them. */
export const settings_scorecards: Replica = {
  key: ['scorecardId'],
  async *read(source) {
    const { data } = await source.execute('settings_scorecards', 'list', {});
    yield { records: data.map(scorecardOf), state: null, progress: 1 };
  },
  sweep: 'all',
};

const reviewOf = fieldsOf(searchable.stats_activity_scorecards);

const reviewListArgs = (filter: Period, cursor: string | undefined) =>
  ['stats_activity_scorecards', 'list', { filter, ...(cursor !== undefined && { cursor }) }] as const;

/** Replication of completed scorecards, by review time. */
export const stats_activity_scorecards: Replica = {
  key: ['answeredScorecardId'],
  withheld: withheldBeforeStart('Reviews'),
  read: (source) =>
    readInWindows(source, async (period, cursor) => {
      const { data, meta } = await source.execute(...reviewListArgs(period, cursor));
      return { records: data.map(reviewOf), meta };
    }),
  sweep: sweepOf(async (source, period, cursor) => {
    const { data, meta } = await source.execute(...reviewListArgs(period, cursor));
    return { records: data.map(reviewOf), meta };
  }),
};
