import type { CallRow } from './rows.js';
import { seconds, talkOf } from './talk.js';

/** What Gong measures in a call. */
export interface Measures {
  /** Seconds that each party spoke, by place. */
  talkTimes: number[];
  longestMonologue: number;
  longestCustomerStory: number;
  interactivity: number;
  patience: number;
  talkRatio: number;
  questions: { own: number; others: number };
}

/** Measures a call by what was said in it. */
export function measuresOf(call: CallRow): Measures {
  const stretches = talkOf(call);
  const talkTimes = call.parties.map(() => 0);
  const longest = { own: 0, others: 0 };
  const questions = { own: 0, others: 0 };
  let silence = 0;
  for (const [place, { who, sentences }] of stretches.entries()) {
    const length = seconds(sentences.at(-1)!.end - sentences[0]!.start);
    const side = call.parties[who]!.affiliation === 'Internal' ? 'own' : 'others';
    talkTimes[who]! += length;
    longest[side] = Math.max(longest[side], length);
    questions[side] += sentences.filter(({ text }) => text.endsWith('?')).length;
    const before = stretches[place - 1];
    if (before) silence += seconds(sentences[0]!.start - before.sentences.at(-1)!.end);
  }
  const all = talkTimes.reduce((sum, time) => sum + time, 0);
  const own = talkTimes.reduce((sum, time, who) => sum + (call.parties[who]!.affiliation === 'Internal' ? time : 0), 0);
  return {
    talkTimes,
    longestMonologue: rounded(longest.own),
    longestCustomerStory: rounded(longest.others),
    interactivity: rounded((stretches.length / call.duration) * 60),
    patience: rounded(silence / Math.max(1, stretches.length - 1)),
    talkRatio: rounded(own / Math.max(1, all)),
    questions,
  };
}

/** The parts of a call's interaction that are asked for; `personInteractionStats` comes as `interactionStats`. */
export function interactionOf(call: CallRow, wanted: Record<string, unknown>): object {
  const measures = measuresOf(call);
  const speakers = call.parties.flatMap(({ speakerId, userId }, place) =>
    speakerId === null ? [] : [{ id: speakerId, userId, talkTime: rounded(measures.talkTimes[place]!) }],
  );
  return {
    ...(wanted.personInteractionStats === true && {
      interactionStats: [
        { name: 'Talk Ratio', value: measures.talkRatio },
        { name: 'Longest Monologue', value: measures.longestMonologue },
        { name: 'Longest Customer Story', value: measures.longestCustomerStory },
        { name: 'Interactivity', value: measures.interactivity },
        { name: 'Patience', value: measures.patience },
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
      questions: { companyCount: measures.questions.own, nonCompanyCount: measures.questions.others },
    }),
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
