import { conversationOf, nextStepOf, toSeconds } from './conversation.js';
import type { CallRow, GongWorld, TrackerRow } from './rows.js';

/** The requested and available parts of a call's content; missing ones are omitted. */
export function contentOf(call: CallRow, wanted: Record<string, unknown>, world: GongWorld): object {
  const { occasion, duration, scope } = call;
  const isAnalysed = scope === 'External' && duration > 300;
  return {
    ...(wanted.structure === true && isAnalysed && { structure: structureOf(call) }),
    ...(wanted.topics === true && { topics: topicsOf(call) }),
    ...(wanted.trackers === true && { trackers: trackersIn(call, world, wanted.trackerOccurrences === true) }),
    ...(wanted.brief === true && isAnalysed && { brief: briefOf(call) }),
    ...(wanted.outline === true && isAnalysed && { outline: outlineOf(call) }),
    ...(wanted.highlights === true && isAnalysed && { highlights: highlightsOf(call) }),
    ...(wanted.callOutcome === true && occasion.kind === 'phone' && { callOutcome: outcome }),
    ...(wanted.keyPoints === true && isAnalysed && { keyPoints: pointsOf(call).map((text) => ({ text })) }),
  };
}

const outcome = { id: '1', category: 'ANSWERED', name: 'Talked to the right person' };

function structureOf({ duration }: CallRow) {
  const shares: readonly [string, number][] = [
    ['Introduction', 0.1],
    ['Discussion', 0.75],
    ['Wrap-up', 0.15],
  ];
  return shares.map(([name, share]) => ({ name, duration: Math.floor(duration * share) }));
}

function topicsOf(call: CallRow) {
  const times = new Map<string, number>();
  for (const { topic, sentences } of conversationOf(call)) {
    if (topic === null) continue;
    const length = sentences.at(-1)!.end - sentences[0]!.start;
    times.set(topic, (times.get(topic) ?? 0) + length);
  }
  return [...times].map(([name, time]) => ({ name, duration: Math.round(time / 1000) }));
}

function trackersIn(call: CallRow, { trackers }: GongWorld, withOccurrences: boolean) {
  return trackers
    .filter(({ workspaceId }) => workspaceId === null || workspaceId === call.workspaceId)
    .map((tracker) => {
      const phrases = tracker.keywords.map((phrase) => ({ phrase, occurrences: occurrencesOf(call, tracker, phrase) }));
      const all = phrases.flatMap(({ occurrences }) => occurrences);
      return {
        id: tracker.id,
        name: tracker.name,
        count: all.length,
        type: 'KEYWORD',
        occurrences: withOccurrences ? all : [],
        phrases: phrases
          .filter(({ occurrences }) => occurrences.length > 0)
          .map(({ phrase, occurrences }) => ({
            count: occurrences.length,
            phrase,
            occurrences: withOccurrences ? occurrences.map(({ startTime }) => startTime) : [],
          })),
      };
    });
}

function occurrencesOf(call: CallRow, { affiliation }: TrackerRow, phrase: string) {
  const word = phrase.toLowerCase();
  return conversationOf(call).flatMap(({ partyIndex, sentences }) => {
    const party = call.parties[partyIndex]!;
    const isCompany = party.affiliation === 'Internal';
    if (affiliation === 'Company' ? !isCompany : affiliation === 'NonCompany' && isCompany) return [];
    return sentences
      .filter(({ text }) => text.toLowerCase().includes(word))
      .map(({ start }) => ({ startTime: toSeconds(start), speakerId: party.speakerId }));
  });
}

function pointsOf(call: CallRow): readonly string[] {
  const { story, customer, project } = call.occasion;
  if (story) return story.points;
  const about = project ? `${project} was the main subject.` : 'Questions about the daily work were answered.';
  return [about, `${customer ?? 'The team'} would like to have the dates in writing.`];
}

function briefOf(call: CallRow): string {
  const { story, customer } = call.occasion;
  const opening = `A call with ${customer ?? 'colleagues'}${story ? ` about ${story.subject.toLowerCase()}` : ''}.`;
  return [opening, ...pointsOf(call)].join(' ');
}

function outlineOf(call: CallRow) {
  const points = pointsOf(call);
  const length = call.duration / points.length;
  return points.map((text, place) => {
    const startTime = Math.floor(place * length);
    const section = place === 0 ? (call.occasion.story?.subject ?? 'Opening') : `Part ${place + 1}`;
    return { section, startTime, duration: Math.floor(length), items: [{ text, startTime: startTime + 5 }] };
  });
}

function highlightsOf(call: CallRow) {
  const last = conversationOf(call).at(-1)!.sentences[0]!;
  const startTimes = [toSeconds(last.start)];
  return [{ title: 'Next Steps', items: [{ text: nextStepOf(call), startTimes }] }];
}
