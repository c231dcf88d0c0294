import { Random } from '../random.js';
import { bare } from './answer.js';
import { visibleCalls } from './calls.js';
import { dayStart, momentText } from './moments.js';
import { dayIn, filterOf, idsIn, listed, type Reading } from './reading.js';
import { refusals } from './refusals.js';
import type { CallRow, GongWorld, QuestionRow, ScorecardRow } from './rows.js';
import { idFrom } from './seed/ids.js';

const hour = 3_600_000;

/** A scorecard that somebody, or a machine, has filled in for a call. */
interface Review {
  id: string;
  card: ScorecardRow;
  call: CallRow;
  reviewedId: string;
  reviewerId: string | null;
  editorId: string | null;
  time: number;
  visibility: string;
  seed: number;
}

/** POST /v2/stats/activity/scorecards */
export function listAnswered(reading: Reading): object {
  const filter = filterOf(reading);
  const method = filter.reviewMethod ?? 'MANUAL';
  if (!['MANUAL', 'AUTOMATIC', 'BOTH'].includes(method)) {
    throw refusals.malformed('filter.reviewMethod: must be one of MANUAL, AUTOMATIC, BOTH');
  }
  const wasCalled = within(filter, 'callFromDate', 'callToDate');
  const wasReviewed = within(filter, 'reviewFromDate', 'reviewToDate');
  const cards = idsIn(filter, 'scorecardIds');
  const reviewed = idsIn(filter, 'reviewedUserIds');
  const rows = visibleCalls(reading)
    .flatMap((call) => reviewsOf(call, reading.world))
    .filter(
      ({ card, call, reviewedId, time }) =>
        time <= reading.now &&
        (method === 'BOTH' || card.reviewMethod === method) &&
        wasCalled(call.started) &&
        wasReviewed(time) &&
        (!cards || cards.has(card.id)) &&
        (!reviewed || reviewed.has(reviewedId)),
    )
    .sort((one, other) => one.time - other.time);
  if (rows.length === 0) throw refusals.empty('answered scorecards', '.');
  return listed(reading, 'answeredScorecards', { rows, keyOf: ({ id }) => id }, reviewView);
}

/** The reviews of a call: some calls have one by a manager, some one by Gong, some none. */
function reviewsOf(call: CallRow, { scorecards, users }: GongWorld): Review[] {
  const random = new Random(call.seed ^ 0x5c0e);
  const host = users.find(({ id }) => id === call.hostId)!;
  const manager = users.find(({ key }) => key === host.managerKey);
  const [discovery, support, machine] = scorecards;
  const base = { call, reviewedId: host.id };
  const reviews: Review[] = [];
  if (manager && call.scope === 'External' && random.chance(0.4)) {
    reviews.push({
      ...base,
      ...{ id: idFrom(random), card: call.occasion.kind === 'phone' ? support! : discovery!, reviewerId: manager.id },
      editorId: random.chance(0.15) ? users[0]!.id : null,
      time: call.ready + random.between(2, 120) * hour + random.between(0, 3_000) * 1000,
      visibility: random.pick(['PUBLIC', 'PUBLIC', 'PRIVATE', 'MANAGERS_AND_REVIEWEE', 'MANAGERS', 'OPT_IN_USERS']),
      seed: random.between(1, 2 ** 31),
    });
  }
  if (call.scope === 'External' && random.chance(0.5)) {
    reviews.push({
      ...base,
      ...{ id: idFrom(random), card: machine!, reviewerId: null, editorId: null, visibility: 'PUBLIC' },
      time: call.ready + random.between(1, 40) * 60_000,
      seed: random.between(1, 2 ** 31),
    });
  }
  return reviews;
}

/** Ids are numbers here, while other addresses give the same ones as strings. */
function reviewView({ id, card, call, reviewedId, reviewerId, editorId, time, visibility, seed }: Review) {
  const random = new Random(seed);
  return {
    answeredScorecardId: bare(id),
    scorecardId: bare(card.id),
    scorecardName: card.name,
    callId: bare(call.id),
    callStartTime: momentText(call.started),
    reviewedUserId: bare(reviewedId),
    reviewerUserId: bare(reviewerId),
    reviewMethod: card.reviewMethod,
    editorUserId: bare(editorId),
    answers: card.questions.map((question) => answerTo(question, random)),
    reviewTime: momentText(time),
    visibilityType: visibility,
  };
}

function answerTo({ id, revisionId, isOverall, type, options }: QuestionRow, random: Random) {
  const notApplicable = !isOverall && random.chance(0.12);
  const isSelect = type === 'SINGLE_SELECT';
  const score = random.between(1, 5);
  const text = random.pick(['Ask for the date earlier.', 'Very good. 👏', 'Let them finish.']);
  return {
    questionId: bare(id),
    questionRevisionId: bare(revisionId),
    isOverall,
    score: notApplicable || type === 'OPEN' || isSelect ? null : type === 'BOOLEAN' ? score % 2 : score,
    answerText: type === 'OPEN' && !notApplicable ? text : null,
    notApplicable,
    selectedOptions: isSelect && !notApplicable ? [random.pick(options)] : null,
  };
}

function within(filter: Record<string, any>, first: string, end: string): (time: number) => boolean {
  const from = dayIn(filter, first);
  const to = dayIn(filter, end);
  const begin = from === undefined ? Number.NEGATIVE_INFINITY : dayStart(from);
  const stop = to === undefined ? Number.POSITIVE_INFINITY : dayStart(to);
  return (time) => time >= begin && time < stop;
}
