import type { Look, Names, Passage, Replica, Segment, Source, StoredRecord } from '../../../src/authoring.js';
import type { ExtensiveCall, Transcript } from '../records.js';
import { listCalls, partitionByPrivacy, withheldCalls } from './calls.js';
import { pages } from './pages.js';
import { callIdSweep } from './sweep.js';
import { periodOf, readInWindows, remainingBy, startOf } from './windows.js';

/** Replication of transcripts: one request per page of calls, and one for all their transcripts. */
export const call_transcripts: Replica = {
  key: ['callId'],
  read: (source) =>
    readInWindows(source, async (period, cursor) => {
      const { data, meta } = await listCalls(source, period, cursor);
      const { kept, ...others } = await partitionByPrivacy<MetaData>(source, data, (call) => call);
      return { records: await transcriptsOf(source, kept), ...others, meta };
    }),
  sweep: { ...callIdSweep, read: transcriptsByCallId },
  withheld: withheldCalls,
  remaining: remainingBy('started'),
  segments: { transcript: turnsIn },
  enrich: speakersOf,
};

/** Transcripts of up to 100 calls, excluding those of private calls and of calls that are still being processed. */
async function transcriptsByCallId(source: Source, callIds: readonly string[]) {
  const { fromDateTime } = periodOf({ from: startOf(source), to: source.now() });
  const { data } = await source.call('extensive', { filter: { fromDateTime, callIds } });
  const metaData = data.flatMap((call: ExtensiveCall) => call.metaData ?? []);
  const { kept, failed } = await partitionByPrivacy<MetaData>(source, metaData, (call) => call);
  return { records: await transcriptsOf(source, kept), failed };
}

type MetaData = { readonly id: string } & Pick<NonNullable<ExtensiveCall['metaData']>, 'started' | 'isPrivate'>;

/** The available transcripts of these calls. */
async function transcriptsOf(source: Source, calls: readonly MetaData[]): Promise<StoredRecord[]> {
  const started = new Map(calls.map((call) => [call.id, call.started ?? null]));
  // Calls without an id cannot be asked for, and count as failed.
  const nameless = calls.filter(({ id }) => !id).map(() => ({ callId: null }));
  const callIds = [...started.keys()].filter(Boolean);
  if (callIds.length === 0) return nameless;
  const transcriptPages = pages((cursor) =>
    source.call('transcripts', { filter: { callIds }, ...(cursor !== undefined && { cursor }) }),
  );
  const found: Transcript[] = [];
  for await (const { data } of transcriptPages) found.push(...data);
  return found
    .filter(({ callId }) => started.has(callId))
    .map(({ callId, transcript }): StoredRecord => ({ callId, started: started.get(callId), transcript }))
    .concat(nameless);
}

/** The speaker turns, in order. */
function* turnsIn({ transcript }: StoredRecord): Generator<Segment> {
  for (const { speakerId, topic, sentences } of (transcript ?? []) as NonNullable<Transcript['transcript']>) {
    const text = (sentences ?? []).map((sentence) => sentence.text).join(' ');
    if (text.trim() !== '') yield { text, attribution: { speakerId: speakerId ?? null, topic: topic ?? null } };
  }
}

/** Each passage's speaker and call, looked up in the call record. */
async function speakersOf(passages: readonly Passage[], look: Look): Promise<Names[]> {
  const callIdOf = ({ record }: Passage) => String(record.callId);
  const calls = await look('calls_extensive', [...new Set(passages.map(callIdOf))]);
  return passages.map((passage) => {
    const { speakerId } = passage.attribution;
    const { parties, metaData } = (calls.get(callIdOf(passage)) ?? {}) as Partial<ExtensiveCall>;
    const speaker = speakerId ? parties?.find((party) => party.speakerId === speakerId) : undefined;
    return {
      speakerName: speaker?.name ?? null,
      speakerTitle: speaker?.title ?? null,
      speakerAffiliation: speaker?.affiliation ?? null,
      callTitle: metaData?.title ?? null,
      callUrl: metaData?.url ?? null,
    };
  });
}
