import { ConnectorError, type Source, type Sweep } from '../../../src/authoring.js';
import { listCalls } from './calls.js';
import { pages } from './pages.js';
import { type Period, periodOf, startOf, windowsOf } from './windows.js';

const day = 86_400_000;
/** So many records a page has at most, and so many windows a year. */
const [pageSize, historyWindows] = [100, 13];
/** So seldom a page is asked for on average: with two such lists at most 720 of 10,000 requests a day. */
const sweepMsPerPage = 240_000;

interface IdPage {
  readonly ids: readonly string[];
  readonly meta: { readonly cursor: string | null };
}

/** A sweep over all ids of the time that records are kept of. */
export const sweepOf = (
  fetchIds: (source: Source, period: Period, cursor: string | undefined) => Promise<IdPage>,
): Exclude<Sweep, 'all'> => ({
  everyMs: (records) => Math.ceil(records / pageSize + historyWindows) * sweepMsPerPage,
  async *ids(source) {
    let found = 0;
    // A day more, since the beginning of a first run lies a little before that of its sweep.
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

/** A key whose owner may no longer see calls is answered as if there were none: all of them would be lost. */
async function rejectEmptySweep(source: Source): Promise<void> {
  for await (const _ of source.storedIds()) {
    throw new ConnectorError('forbidden', 'Gong no longer returns any of the records it returned before.', {
      hint: "Nothing was removed. Check the permissions of the key's owner, or run a full sync if everything was really deleted.",
    });
  }
}

/** A list of calls that one entity has made and others can do with. */
interface CallListing {
  readonly from: number;
  readonly pages: ReadonlyArray<readonly string[]>;
}

const callIdSweep = sweepOf(async (source, period, cursor) => {
  const { data, meta } = await listCalls(source, period, cursor);
  const shown = source.settings.includePrivate ? data : data.filter((call: any) => call.isPrivate !== true);
  return { ids: shown.map(({ id }: any) => id), meta };
});

/** Calls that are there and may be in a replica; what belongs to a call goes with it. Entities of one job list them once. */
export const callSweep: Exclude<Sweep, 'all'> = {
  everyMs: callIdSweep.everyMs,
  async *ids(source) {
    const from = startOf(source);
    const known = source.shared.get('calls') as CallListing | undefined;
    // What is older than this entity's records is no harm; what is younger is what it has just read itself.
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
