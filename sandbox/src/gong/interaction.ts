import { conversationOf, toSeconds } from './conversation.js';
import type { CallRow } from './rows.js';

/** Gong's metrics for a call. */
export interface CallMetrics {
  /** Seconds that each party spoke, by index. */
  talkTimes: number[];
  longestMonologue: number;
  longestCustomerStory: number;
  interactivity: number;
  patience: number;
  talkRatio: number;
  questions: { own: number; others: number };
}

/** Computes a call's metrics from its conversation. */
export function callMetricsOf(call: CallRow): CallMetrics {
  const turns = conversationOf(call);
  const talkTimes = call.parties.map(() => 0);
  const longest = { own: 0, others: 0 };
  const questions = { own: 0, others: 0 };
  let silence = 0;
  for (const [place, { partyIndex, sentences }] of turns.entries()) {
    const length = toSeconds(sentences.at(-1)!.end - sentences[0]!.start);
    const side = call.parties[partyIndex]!.affiliation === 'Internal' ? 'own' : 'others';
    talkTimes[partyIndex]! += length;
    longest[side] = Math.max(longest[side], length);
    questions[side] += sentences.filter(({ text }) => text.endsWith('?')).length;
    const before = turns[place - 1];
    if (before) silence += toSeconds(sentences[0]!.start - before.sentences.at(-1)!.end);
  }
  const all = talkTimes.reduce((sum, time) => sum + time, 0);
  const own = talkTimes.reduce((sum, time, who) => sum + (call.parties[who]!.affiliation === 'Internal' ? time : 0), 0);
  return {
    talkTimes,
    longestMonologue: roundToHundredths(longest.own),
    longestCustomerStory: roundToHundredths(longest.others),
    interactivity: roundToHundredths((turns.length / call.duration) * 60),
    patience: roundToHundredths(silence / Math.max(1, turns.length - 1)),
    talkRatio: roundToHundredths(own / Math.max(1, all)),
    questions,
  };
}

/** The requested parts of a call's interaction; `personInteractionStats` is returned as `interactionStats`. */
export function interactionOf(call: CallRow, wanted: Record<string, unknown>): object {
  const metrics = callMetricsOf(call);
  const speakers = call.parties.flatMap(({ speakerId, userId }, place) =>
    speakerId === null ? [] : [{ id: speakerId, userId, talkTime: roundToHundredths(metrics.talkTimes[place]!) }],
  );
  return {
    ...(wanted.personInteractionStats === true && {
      interactionStats: [
        { name: 'Talk Ratio', value: metrics.talkRatio },
        { name: 'Longest Monologue', value: metrics.longestMonologue },
        { name: 'Longest Customer Story', value: metrics.longestCustomerStory },
        { name: 'Interactivity', value: metrics.interactivity },
        { name: 'Patience', value: metrics.patience },
      ],
    }),
    ...(wanted.speakers === true && { speakers }),
    ...(wanted.video === true &&
      call.recording.hasVideo && {
        video: [
          { name: 'Webcam', duration: Math.floor(call.duration * 0.8) },
          { name: 'Presentation', duration: Math.floor(call.duration * 0.2) },
        ],
      }),
    ...(wanted.questions === true && {
      questions: { companyCount: metrics.questions.own, nonCompanyCount: metrics.questions.others },
    }),
  };
}

function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
