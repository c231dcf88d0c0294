import { callFilterOf, callsFor } from './calls.js';
import { listed, type Reading } from './reading.js';
import type { CallRow } from './rows.js';
import { talkOf } from './talk.js';

/** POST /v2/calls/transcript */
export function listTranscripts(reading: Reading): object {
  const found = callsFor(reading, { ...callFilterOf(reading), hostIds: undefined });
  return listed(reading, 'callTranscripts', { ...found, keyOf: ({ id }) => id }, transcriptView);
}

function transcriptView(call: CallRow) {
  const transcript = talkOf(call).map(({ who, topic, sentences }) => ({
    speakerId: call.parties[who]!.speakerId,
    topic,
    sentences,
  }));
  return { callId: call.id, transcript };
}
