import {
  ConnectorError,
  type Failure,
  type Source,
  type StoredRecord,
  type Sweep,
  type SweepPage,
} from '../../../src/authoring.js';
import { listCalls, partitionByPrivacy } from './calls.js';
import { pages } from './pages.js';
import { type Period, periodOf, startOf, windowsOf } from './windows.js';

const day = 86_400_000;
/** Maximum records per page, and windows per year. */
const [pageSize, historyWindows] = [100, 14];
/** Average interval between page requests: three such lists use up to 1,080 of the 10,000 requests per day. */
const sweepMsPerPage = 240_000;

interface ListPage {
  readonly records: readonly StoredRecord[];
  readonly failed?: readonly Failure[] | undefined;
  readonly meta: { readonly cursor: string | null };
}

/**
 * A sweep over the replicated period. It stores the listed records, since a call may be imported, renamed or made public
 * long after it started.
 */
export const sweepOf = (
  fetchPage: (source: Source, period: Period, cursor: string | undefined) => Promise<ListPage>,
): RecordSweep => ({
  everyMs: (records) => Math.ceil(records / pageSize + historyWindows) * sweepMsPerPage,
  async *ids(source) {
    let found = 0;
    const start = startOf(source);
    // One extra day, in which only ids are listed, since a first run starts slightly earlier than its sweep.
    for (const window of [{ from: start - day, to: start }, ...windowsOf({ from: start, to: source.now() })]) {
      const period = periodOf(window);
      for await (const { records, failed = [] } of pages((cursor) => fetchPage(source, period, cursor))) {
        found += records.length;
        const ids = records.filter(hasId).map((record) => source.idOf(record));
        yield window.from < start ? { ids, records: [] } : { ids, records, failed };
      }
    }
    if (found === 0) await rejectEmptySweep(source);
  },
});

/** Whether a record has an id; others are counted as failed. */
const hasId = ({ id, answeredScorecardId }: StoredRecord): boolean => Boolean(id ?? answeredScorecardId);

/** A sweep whose pages contain records. */
interface RecordSweep extends Exclude<Sweep, 'all'> {
  readonly ids: (source: Source) => AsyncIterable<SweepPage>;
}

/** A page without its records, which belong to another entity. */
const withoutRecords = ({ ids, failed }: SweepPage): SweepPage => ({ ids, records: [], failed });

/** If a key's owner has lost access, Gong returns no calls; without this check, everything would be deleted. */
async function rejectEmptySweep(source: Source): Promise<void> {
  for await (const _ of source.storedIds()) {
    throw new ConnectorError('forbidden', 'Gong no longer returns any of the previously returned records.', {
      hint: "Nothing was removed. Check the permissions of the key's owner, or set another start_date, which reads everything again, if all of these records were actually deleted.",
    });
  }
}

/** A call list shared by a job's entities. */
interface CallListing {
  readonly from: number;
  readonly pages: readonly SweepPage[];
}

const listedCalls = sweepOf(async (source, period, cursor) => {
  const { data, meta } = await listCalls(source, period, cursor);
  const { kept, failed } = await partitionByPrivacy<any>(source, data, (call) => call);
  return { records: kept, failed, meta };
});

/** Existing calls that may be in a replica. Their ids are shared with the job's other entities. */
export const callSweep: RecordSweep = {
  everyMs: listedCalls.everyMs,
  async *ids(source) {
    const pages: SweepPage[] = [];
    for await (const page of listedCalls.ids(source)) {
      pages.push(withoutRecords(page));
      yield page;
    }
    source.shared.set('calls', { from: startOf(source) - day, pages } satisfies CallListing);
  },
};

/** Ids of existing calls: deleting a call also deletes everything that belongs to it. */
export const callIdSweep: Exclude<Sweep, 'all'> = {
  everyMs: listedCalls.everyMs,
  async *ids(source) {
    const known = source.shared.get('calls') as CallListing | undefined;
    // Extra calls older than this entity's records do no harm, and newer ones have just been read by this run.
    const isShared = known && known.from <= startOf(source) - day / 2 && known.pages.some(({ ids }) => ids.length > 0);
    if (isShared) yield* known.pages;
    else {
      for await (const page of callSweep.ids({ ...source, idOf: ({ id }) => String(id) })) yield withoutRecords(page);
    }
  },
};
