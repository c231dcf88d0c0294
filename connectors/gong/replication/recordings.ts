import { ConnectorError, type Replica, type Source, type StoredRecord } from '../../../src/authoring.js';
import type { ExtensiveCall } from '../records.js';
import { listCalls, partitionByPrivacy, withheldCalls } from './calls.js';
import { callIdSweep, callSweep, sweepOf } from './sweep.js';
import { type Period, readInWindows, remainingBy } from './windows.js';

/** Replication of calls. */
export const calls: Replica = {
  read: (source) =>
    readInWindows(source, async (period, cursor) => {
      const { data, meta } = await listCalls(source, period, cursor);
      const { kept, ...others } = await partitionByPrivacy<any>(source, data, (call) => call);
      return { records: kept, ...others, meta };
    }),
  sweep: callSweep,
  withheld: withheldCalls,
  remaining: remainingBy('started'),
};

const content = {
  structure: true,
  topics: true,
  trackers: true,
  trackerOccurrences: true,
  brief: true,
  outline: true,
  highlights: true,
  callOutcome: true,
  keyPoints: true,
};
const interaction = { speakers: true, video: true, personInteractionStats: true, questions: true };
const exposedFields = { parties: true, content, interaction, collaboration: { publicComments: true } };
const selector = { context: 'Extended', contextTiming: ['Now', 'TimeOfCall'] };

/** Requests everything about calls, but stops requesting recordings once Gong rejects such a request. */
function extensiveLister(source: Source) {
  return async function list(params: object): ReturnType<Source['call']> {
    const media = !source.shared.has('without media');
    const contentSelector = { ...selector, exposedFields: { ...exposedFields, media } };
    try {
      return await source.call('extensive', { ...params, contentSelector });
    } catch (error) {
      // Recordings require their own scope; the rest is useful without them.
      if (!media || !ConnectorError.is(error) || error.code !== 'scope_missing') throw error;
      source.shared.set('without media', true);
      return list(params);
    }
  };
}

/** Replication of call content. */
export const calls_extensive: Replica = {
  read: (source) => {
    const list = extensiveLister(source);
    return readInWindows(source, (period, cursor) => extensivePage(source, list, period, cursor));
  },
  sweep: {
    everyMs: callSweep.everyMs,
    async *ids(source) {
      // Gong lists calls before their analysis is available.
      yield* callIdSweep.ids(source);
      const list = extensiveLister(source);
      yield* sweepOf((_, period, cursor) => extensivePage(source, list, period, cursor)).ids(source);
    },
  },
  withheld: withheldCalls,
  remaining: remainingBy('startdatetime'),
};

async function extensivePage(
  source: Source,
  list: ReturnType<typeof extensiveLister>,
  filter: Period,
  cursor: string | undefined,
) {
  const { data, meta } = await list({ filter, ...(cursor !== undefined && { cursor }) });
  const { kept, ...others } = await partitionByPrivacy<any>(source, data, ({ metaData }) => metaData ?? {});
  return { records: kept.map(recordOf), ...others, meta };
}

const recordOf = (call: ExtensiveCall): StoredRecord => ({
  ...call,
  id: call.metaData?.id ?? null,
  startdatetime: call.metaData?.started ?? null,
  media: call.media && stripSignatures(call.media),
});

/** Recording URLs without the signature, which gives anyone access for eight hours and changes every time. */
const stripSignatures = (media: object) =>
  Object.fromEntries(
    Object.entries(media).map(([name, address]) => [
      name,
      typeof address === 'string' ? address.replace(/[?#].*$/s, '') : address,
    ]),
  );
