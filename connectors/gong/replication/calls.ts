import { type Action, type Failure, post, type Replica, type Source } from '../../../src/authoring.js';
import { call_transcripts, calls, calls_extensive } from '../calls.js';
import { emptyIfNotFound, listIn, pageOf } from '../operations.js';
import type { Period } from './windows.js';

/** A list that includes private calls, so that calls made private later can be removed from the replica. */
const includingPrivate = (list: Action, key: string): Action => ({
  ...list,
  read: (body) => ({ data: listIn(body, key), meta: pageOf(body) }),
});

/** Unfiltered requests that replication uses in addition to the actions. */
export const replicationActions: Readonly<Record<string, Action>> = {
  calls: includingPrivate(calls.actions.list, 'calls'),
  extensive: includingPrivate(calls_extensive.actions.list, 'calls'),
  // Which calls are private is already known, so no lookup is needed.
  transcripts: {
    ...includingPrivate(call_transcripts.actions.list, 'callTranscripts'),
    request: (params) => emptyIfNotFound(post('/v2/calls/transcript', params), 'callTranscripts'),
  },
};

/** One page of a period's calls, including private ones. */
export const listCalls = (source: Source, period: Period, cursor: string | undefined) =>
  source.call('calls', { ...period, ...(cursor !== undefined && { cursor }) });

/** Says from when on records, such as calls, are replicated. */
export const withheldBeforeStart =
  (records: string): NonNullable<Replica['withheld']> =>
  ({ config: { start_date } }) => [
    `${records} before ${typeof start_date === 'string' ? start_date : 'the year before the first sync'} are not replicated.`,
  ];

/** What is never replicated of calls. Private calls are reported as they are found, so that they are counted. */
export const withheldCalls = withheldBeforeStart('Calls');

/** Determines whether a call may be in a replica. */
interface MetaData {
  readonly id: string;
  readonly isPrivate?: boolean | null | undefined;
}

/** A private call that a replica leaves out. */
const leftOut = (id: string): Failure => ({
  id,
  cause: 'private',
  permanent: true,
  message: 'Create the connector with includePrivate: true to include them.',
});

/** The calls that may be in a replica, those that it leaves out, and the ids of calls to remove from it. */
export async function partitionByPrivacy<Call>(
  source: Source,
  all: readonly Call[],
  metaDataOf: (call: Call) => MetaData,
) {
  const isHidden = (call: Call) => !source.settings.includePrivate && metaDataOf(call).isPrivate === true;
  const hiddenIds = all.filter(isHidden).map((call) => metaDataOf(call).id);
  const stored = await source.stored(hiddenIds);
  return {
    kept: all.filter((call) => !isHidden(call)),
    failed: hiddenIds.map(leftOut),
    removed: [...stored.keys()],
  };
}
