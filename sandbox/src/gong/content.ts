import { company } from '../company.js';
import { Random } from '../random.js';
import type { GongContext } from './context.js';
import { conversationOf, nextStepOf, toSeconds } from './conversation.js';
import type { CallRow, GongWorld, TrackerRow } from './rows.js';
import { idFrom } from './seed/ids.js';
import { formatTimestamp } from './timestamps.js';

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

const hour = 3_600_000;
const remarks = [
  'Listen to this, that is how to ask.',
  'We should tell the product team.',
  'Nice pause here 👏',
  'Was that price agreed with anybody?',
];

/** Comments on a call; most calls have none. */
export function commentsOf(call: CallRow, wanted: Record<string, unknown>, { world, now }: GongContext): object {
  const random = new Random(call.seed ^ 0x77c3);
  if (wanted.publicComments !== true || call.isPrivate || !random.chance(0.25)) return {};
  const writers = world.users.filter(({ active }) => active);
  const comments: object[] = [];
  let before: string | null = null;
  for (let place = 0; place <= random.between(0, 2); place += 1) {
    const id = idFrom(random);
    const from = random.between(10, call.duration - 20);
    const posted = call.ready + random.between(1, 40) * hour;
    if (posted > now) continue;
    comments.push({
      id,
      audioStartTime: from,
      audioEndTime: from + random.between(2, 15),
      commenterUserId: random.pick(writers).id,
      comment: random.pick(remarks),
      posted: formatTimestamp(posted, 6),
      inReplyTo: place === 1 ? before : null,
      duringCall: false,
    });
    before = id;
  }
  return { publicComments: comments };
}

/** A call's CRM context, if there is a customer. */
export function contextOf({ occasion, seed }: CallRow, context: string, timings: readonly unknown[]): object[] {
  const { customer, project } = occasion;
  if (customer === null) return [];
  // A customer has the same ids in every call.
  const account = new Random([...customer].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
  const accountId = `001${account.uuid().replaceAll('-', '').slice(0, 15)}`;
  const opportunityId = `006${account.uuid().replaceAll('-', '').slice(0, 15)}`;
  const amount = account.between(20, 90) * 1_000;
  const random = new Random(seed ^ 0xc41);
  const objects = timings.flatMap((timing) => [
    {
      objectType: 'Account',
      objectId: accountId,
      fields: context === 'Basic' ? [] : [field('Name', customer), field('Industry', null)],
      timing,
    },
    {
      objectType: 'Opportunity',
      objectId: opportunityId,
      fields:
        context === 'Basic'
          ? []
          : [
              field('Name', `${customer}: ${project ?? company.product}`),
              field('Amount', timing === 'TimeOfCall' ? amount - 5_000 : amount),
              field('StageName', timing === 'TimeOfCall' ? 'Discovery' : random.pick(['Proposal', 'Closed Won'])),
            ],
      timing,
    },
  ]);
  return [{ system: 'Salesforce', objects }];
}

function field(name: string, value: string | number | null) {
  return { name, value };
}
