import { callFilterOf, findCalls } from './calls.js';
import { type GongContext, listBody } from './context.js';
import { conversationOf } from './conversation.js';
import type { CallRow } from './rows.js';

/** POST /v2/calls/transcript */
export function listTranscripts(context: GongContext): object {
  const matching = findCalls(context, { ...callFilterOf(context), hostIds: undefined });
  return listBody(context, 'callTranscripts', { ...matching, keyOf: ({ id }) => id }, transcriptView);
}

function transcriptView(call: CallRow) {
  const transcript = conversationOf(call).map(({ partyIndex, topic, sentences }) => ({
    speakerId: call.parties[partyIndex]!.speakerId,
    topic,
    sentences,
  }));
  return { callId: call.id, transcript };
}
