import { Random } from '../random.js';
import { visibleCalls } from './calls.js';
import { filterOf, type GongContext, listBody, parseDateParameter, parseIds } from './context.js';
import { apiErrors } from './errors.js';
import { bareNumber } from './reply.js';
import type { CallRow, GongWorld, QuestionRow, ScorecardRow } from './rows.js';
import { idFrom } from './seed/ids.js';
import { dayStart, formatTimestamp } from './timestamps.js';

const hour = 3_600_000;

/** A scorecard filled in by a person or by Gong. */
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
export function listAnswered(context: GongContext): object {
  const filter = filterOf(context);
  const method = filter.reviewMethod ?? 'MANUAL';
  if (!['MANUAL', 'AUTOMATIC', 'BOTH'].includes(method)) {
    throw apiErrors.malformed('filter.reviewMethod: must be one of MANUAL, AUTOMATIC, BOTH');
  }
  const isCallInRange = dateRangeTest(filter, 'callFromDate', 'callToDate');
  const isReviewInRange = dateRangeTest(filter, 'reviewFromDate', 'reviewToDate');
  const cards = parseIds(filter, 'scorecardIds');
  const reviewedUserIds = parseIds(filter, 'reviewedUserIds');
  const rows = visibleCalls(context)
    .flatMap((call) => reviewsOf(call, context.world))
    .filter(
      ({ card, call, reviewedId, time }) =>
        time <= context.now &&
        (method === 'BOTH' || card.reviewMethod === method) &&
        isCallInRange(call.started) &&
        isReviewInRange(time) &&
        (!cards || cards.has(card.id)) &&
        (!reviewedUserIds || reviewedUserIds.has(reviewedId)),
    )
    .sort((one, other) => one.time - other.time);
  if (rows.length === 0) throw apiErrors.empty('answered scorecards', '.');
  return listBody(context, 'answeredScorecards', { rows, keyOf: ({ id }) => id }, reviewView);
}

/** Reviews of a call: by a manager, by Gong, or none. */
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
      id: idFrom(random),
      card: call.occasion.kind === 'phone' ? support! : discovery!,
      reviewerId: manager.id,
      editorId: random.chance(0.15) ? users[0]!.id : null,
      time: call.ready + random.between(2, 120) * hour + random.between(0, 3_000) * 1000,
      visibility: random.pick(['PUBLIC', 'PUBLIC', 'PRIVATE', 'MANAGERS_AND_REVIEWEE', 'MANAGERS', 'OPT_IN_USERS']),
      seed: random.between(1, 2 ** 31),
    });
  }
  if (call.scope === 'External' && random.chance(0.5)) {
    reviews.push({
      ...base,
      id: idFrom(random),
      card: machine!,
      reviewerId: null,
      editorId: null,
      visibility: 'PUBLIC',
      time: call.ready + random.between(1, 40) * 60_000,
      seed: random.between(1, 2 ** 31),
    });
  }
  return reviews;
}

/** Ids are numbers here, although other endpoints return them as strings. */
function reviewView({ id, card, call, reviewedId, reviewerId, editorId, time, visibility, seed }: Review) {
  const random = new Random(seed);
  return {
    answeredScorecardId: bareNumber(id),
    scorecardId: bareNumber(card.id),
    scorecardName: card.name,
    callId: bareNumber(call.id),
    callStartTime: formatTimestamp(call.started),
    reviewedUserId: bareNumber(reviewedId),
    reviewerUserId: bareNumber(reviewerId),
    reviewMethod: card.reviewMethod,
    editorUserId: bareNumber(editorId),
    answers: card.questions.map((question) => answerTo(question, random)),
    reviewTime: formatTimestamp(time),
    visibilityType: visibility,
  };
}

function answerTo({ id, revisionId, isOverall, type, options }: QuestionRow, random: Random) {
  const notApplicable = !isOverall && random.chance(0.12);
  const isSelect = type === 'SINGLE_SELECT';
  const score = random.between(1, 5);
  const text = random.pick(['Ask for the date earlier.', 'Very good. 👏', 'Let them finish.']);
  return {
    questionId: bareNumber(id),
    questionRevisionId: bareNumber(revisionId),
    isOverall,
    score: notApplicable || type === 'OPEN' || isSelect ? null : type === 'BOOLEAN' ? score % 2 : score,
    answerText: type === 'OPEN' && !notApplicable ? text : null,
    notApplicable,
    selectedOptions: isSelect && !notApplicable ? [random.pick(options)] : null,
  };
}

function dateRangeTest(filter: Record<string, any>, first: string, end: string): (time: number) => boolean {
  const from = parseDateParameter(filter, first);
  const to = parseDateParameter(filter, end);
  const begin = from === undefined ? Number.NEGATIVE_INFINITY : dayStart(from);
  const stop = to === undefined ? Number.POSITIVE_INFINITY : dayStart(to);
  return (time) => time >= begin && time < stop;
}
