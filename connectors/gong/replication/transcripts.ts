import type { Look, Names, Passage, Replica, Segment, Source, StoredRecord } from '../../../src/authoring.js';
import type { ExtensiveCall, Transcript } from '../records.js';
import { listCalls, partitionByPrivacy, withheldCalls } from './calls.js';
import { pages } from './pages.js';
import { callSweep } from './sweep.js';
import { readInWindows } from './windows.js';

/** Replication of transcripts: one request per page of calls, and one for all their transcripts. */
export const call_transcripts: Replica = {
  key: ['callId'],
  read: (source) =>
    readInWindows(source, async (period, cursor) => {
      const { data, meta } = await listCalls(source, period, cursor);
      const { kept, removed } = await partitionByPrivacy<any>(source, data, (call) => call);
      const started = new Map<string, string | null>(kept.map((call) => [call.id, call.started]));
      const found = await transcriptsOf(source, [...started.keys()]);
      const records = found.map(({ callId, transcript }) => ({ callId, started: started.get(callId), transcript }));
      return { records, removed, meta };
    }),
  sweep: callSweep,
  withheld: withheldCalls,
  segments: { transcript: turnsIn },
  enrich: speakersOf,
};

/** The available transcripts of these calls. */
async function transcriptsOf(source: Source, callIds: readonly string[]): Promise<Transcript[]> {
  if (callIds.length === 0) return [];
  const transcriptPages = pages((cursor) =>
    source.call('transcripts', { filter: { callIds }, ...(cursor !== undefined && { cursor }) }),
  );
  const found: Transcript[] = [];
  for await (const { data } of transcriptPages) found.push(...data);
  return found.filter(({ callId }) => callIds.includes(callId));
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
