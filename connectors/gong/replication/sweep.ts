import { ConnectorError, type Source, type Sweep } from '../../../src/authoring.js';
import { listCalls } from './calls.js';
import { pages } from './pages.js';
import { type Period, periodOf, startOf, windowsOf } from './windows.js';

const day = 86_400_000;
/** Maximum records per page, and windows per year. */
const [pageSize, historyWindows] = [100, 13];
/** Average interval between page requests: two such lists use up to 720 of the 10,000 requests per day. */
const sweepMsPerPage = 240_000;

interface IdPage {
  readonly ids: readonly string[];
  readonly meta: { readonly cursor: string | null };
}

/** A sweep over all ids in the replicated period. */
export const sweepOf = (
  fetchIds: (source: Source, period: Period, cursor: string | undefined) => Promise<IdPage>,
): Exclude<Sweep, 'all'> => ({
  everyMs: (records) => Math.ceil(records / pageSize + historyWindows) * sweepMsPerPage,
  async *ids(source) {
    let found = 0;
    // One extra day, since a first run starts slightly earlier than its sweep.
    for (const window of windowsOf({ from: startOf(source) - day, to: source.now() })) {
      const period = periodOf(window);
      for await (const { ids } of pages((cursor) => fetchIds(source, period, cursor))) {
        found += ids.length;
        yield ids;
      }
    }
    if (found === 0) await rejectEmptySweep(source);
  },
});

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
  readonly pages: ReadonlyArray<readonly string[]>;
}

const callIdSweep = sweepOf(async (source, period, cursor) => {
  const { data, meta } = await listCalls(source, period, cursor);
  const shown = source.settings.includePrivate ? data : data.filter((call: any) => call.isPrivate !== true);
  return { ids: shown.map(({ id }: any) => id), meta };
});

/**
 * Existing calls that may be in a replica; deleting a call also deletes everything that belongs to it. They are listed
 * once per job and shared by its entities.
 */
export const callSweep: Exclude<Sweep, 'all'> = {
  everyMs: callIdSweep.everyMs,
  async *ids(source) {
    const from = startOf(source);
    const known = source.shared.get('calls') as CallListing | undefined;
    // Extra calls older than this entity's records do no harm, and newer ones have just been read by this run.
    if (known && known.from <= from - day / 2 && known.pages.some(({ length }) => length > 0)) {
      yield* known.pages;
      return;
    }
    const pages: Array<readonly string[]> = [];
    for await (const ids of callIdSweep.ids(source)) {
      pages.push(ids);
      yield ids;
    }
    source.shared.set('calls', { from: from - day, pages } satisfies CallListing);
  },
};
