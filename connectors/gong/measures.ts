import * as z from 'zod';
import { type RecordType, record } from '../../src/authoring.js';
import { id } from './records.js';

const text = z.string().nullable();
const number = z.number().nullable();

const activities = [
  'callsAsHost',
  'callsGaveFeedback',
  'callsRequestedFeedback',
  'callsReceivedFeedback',
  'ownCallsListenedTo',
  'othersCallsListenedTo',
  'callsSharedInternally',
  'callsSharedExternally',
  'callsScorecardsFilled',
  'callsScorecardsReceived',
  'callsAttended',
  'callsCommentsGiven',
  'callsCommentsReceived',
  'callsMarkedAsFeedbackGiven',
  'callsMarkedAsFeedbackReceived',
] as const;

const activityFields = <T extends z.core.$ZodType>(schema: T) =>
  Object.fromEntries(activities.map((name) => [name, schema])) as { [K in (typeof activities)[number]]: T };

const person = { userId: z.string(), userEmailAddress: text };
const userId = { userId: (payload: any) => id(payload.userId) };

/** A user's activity in a period, as counts. */
export const ActivityTotals = record(
  { ...person, userAggregateActivityStats: z.looseObject(activityFields(z.int().nullish())).nullable() },
  userId,
);

/** A user's activity per day, as call ids. */
export const DailyActivity = record(
  {
    ...person,
    userDailyActivityStats: z
      .array(
        z.looseObject({
          ...activityFields(z.array(z.string()).nullish()),
          fromDate: z.string().nullish(),
          toDate: z.string().nullish(),
        }),
      )
      .nullable()
      .describe("One entry per day, with lists of call ids; fromDate and toDate use the company's UTC offset."),
  },
  userId,
);

/** A user's interaction metrics by name. */
export const Interaction = record(
  {
    ...person,
    personInteractionStats: z
      .array(z.looseObject({ name: z.string().nullish(), value: z.number().nullish() }))
      .nullable()
      .describe(
        'As { name, value }: Longest Monologue, Longest Customer Story, Interactivity, Patience, Question Rate.',
      ),
  },
  userId,
);

/** Coaching counts for a user, or a manager's totals. */
export const Coaching = record({
  userId: z.string(),
  userEmailAddress: text,
  userName: text,
  isManager: z.boolean().nullable(),
  coachingMetrics: z
    .looseObject({
      callsListened: z.int(),
      callsAttended: z.int(),
      callsWithFeedback: z.int(),
      callsWithComments: z.int(),
      scorecardsFilled: z.int(),
    })
    .nullable()
    .describe('Call counts; for managers, team totals.'),
});

/** A scorecard that reviewers can fill in. */
export const Scorecard = record(
  {
    scorecardId: z.string(),
    scorecardName: text,
    workspaceId: text.describe('Null if the scorecard applies to all workspaces.'),
    enabled: z.boolean().nullable(),
    updaterUserId: text,
    created: text,
    updated: text,
    reviewMethod: text.describe('MANUAL or AUTOMATIC.'),
    questions: z
      .array(
        z.looseObject({
          questionId: text,
          questionRevisionId: text,
          questionText: text,
          questionType: text,
          isRequired: z.boolean().nullable().describe('Always null: Gong does not send it.'),
          isOverall: z.boolean().nullable(),
          updaterUserId: text,
          answerGuid: text.describe('Guide for the reviewer, as HTML; Gong calls it answerGuide.'),
          minRange: text,
          maxRange: text,
          created: text,
          updated: text,
          answerOptions: z
            .array(z.looseObject({ id: z.union([z.string(), z.number()]).nullish(), text: z.string().nullish() }))
            .nullable(),
        }),
      )
      .nullable(),
  },
  {
    scorecardId: (payload) => id(payload.scorecardId),
    workspaceId: (payload) => id(payload.workspaceId),
    updaterUserId: (payload) => id(payload.updaterUserId),
    questions: (payload) => payload.questions?.map(questionOf),
  },
  {
    concise: [
      'scorecardId',
      'scorecardName',
      'enabled',
      'reviewMethod',
      'updated',
      'questions.questionId',
      'questions.questionText',
      'questions.questionType',
      'questions.isOverall',
    ],
  },
);

function questionOf({ answerGuide, ...question }: any) {
  return {
    ...question,
    questionId: id(question.questionId) ?? null,
    questionRevisionId: id(question.questionRevisionId) ?? null,
    questionText: question.questionText ?? null,
    questionType: question.questionType ?? null,
    isRequired: question.isRequired ?? null,
    isOverall: question.isOverall ?? null,
    updaterUserId: id(question.updaterUserId) ?? null,
    answerGuid: question.answerGuid ?? answerGuide ?? null,
    minRange: id(question.minRange) ?? null,
    maxRange: id(question.maxRange) ?? null,
    created: question.created ?? null,
    updated: question.updated ?? null,
    answerOptions: question.answerOptions ?? null,
  };
}

/** A tracker of keywords. */
export const Tracker = record(
  {
    trackerId: z.string(),
    trackerName: text,
    workspaceId: text.describe('Null if the scorecard applies to all workspaces.'),
    languageKeywords: z
      .array(z.looseObject({ language: z.string().nullish(), keywords: z.array(z.string()).nullish() }))
      .nullable()
      .describe('As { language, keywords, includeRelatedForms }.'),
    affiliation: text.describe('Anyone, Company or NonCompany.'),
    partOfQuestion: z.boolean().nullable(),
    saidAt: text.describe('Anytime, First or Last.'),
    saidAtInterval: text.describe('A number, as a string.'),
    saidAtUnit: text,
    saidInTopics: z.array(z.string()).nullable(),
    filterQuery: text.describe('JSON, as a string.'),
    created: text,
    creatorUserId: text.describe('Null for built-in trackers.'),
    updated: text,
    updaterUserId: text,
  },
  {
    trackerId: (payload) => id(payload.trackerId),
    workspaceId: (payload) => id(payload.workspaceId),
    saidAtInterval: (payload) => id(payload.saidAtInterval),
    creatorUserId: (payload) => id(payload.creatorUserId),
    updaterUserId: (payload) => id(payload.updaterUserId),
  },
  {
    concise: [
      'trackerId',
      'trackerName',
      'languageKeywords.language',
      'languageKeywords.keywords',
      'affiliation',
      'saidAt',
      'saidAtInterval',
      'saidAtUnit',
      'saidInTopics',
    ],
  },
);

/** A completed scorecard for a call. */
export const AnsweredScorecard = record(
  {
    answeredScorecardId: z.string(),
    scorecardId: text.describe('Id from settings_scorecards.'),
    scorecardName: text,
    callId: text,
    callStartTime: text,
    reviewedUserId: text,
    reviewerUserId: text.describe("Null for Gong's own reviews."),
    reviewMethod: text.describe('MANUAL or AUTOMATIC.'),
    answeredDateTime: text.describe('Same as reviewTime; not sent by Gong.'),
    reviewTime: text,
    visibilityType: text.describe('PUBLIC, PRIVATE, OPT_IN_USERS, MANAGERS or MANAGERS_AND_REVIEWEE.'),
    visibility: text.describe('visibilityType in lowercase; not sent by Gong.'),
    editorUserId: text,
    answers: z
      .array(
        z.looseObject({
          questionId: text,
          questionRevisionId: text,
          isOverall: z.boolean().nullable(),
          answer: text.describe('Same as answerText; not sent by Gong.'),
          answerText: text,
          score: number.describe('1 to 50.'),
          notApplicable: z.boolean().nullable(),
          selectedOptions: z.array(z.unknown()).nullable(),
        }),
      )
      .nullable(),
    overallScore: number.describe('Score of the answer marked as overall.'),
  },
  {
    answeredScorecardId: (payload) => id(payload.answeredScorecardId),
    scorecardId: (payload) => id(payload.scorecardId),
    callId: (payload) => id(payload.callId),
    reviewedUserId: (payload) => id(payload.reviewedUserId),
    reviewerUserId: (payload) => id(payload.reviewerUserId),
    editorUserId: (payload) => id(payload.editorUserId),
    answeredDateTime: (payload) => payload.answeredDateTime ?? payload.reviewTime,
    visibility: (payload) => payload.visibility ?? payload.visibilityType?.toLowerCase(),
    answers: (payload) => payload.answers?.map(answerOf),
    overallScore: (payload) => payload.overallScore ?? payload.answers?.find((answer: any) => answer.isOverall)?.score,
  },
  {
    concise: [
      'answeredScorecardId',
      'scorecardName',
      'callId',
      'callStartTime',
      'reviewedUserId',
      'reviewerUserId',
      'reviewMethod',
      'reviewTime',
      'overallScore',
      'answers.questionId',
      'answers.answerText',
      'answers.score',
      'answers.isOverall',
      'answers.notApplicable',
    ],
  },
);

const answerOf = (answer: any) => ({
  ...answer,
  questionId: id(answer.questionId) ?? null,
  questionRevisionId: id(answer.questionRevisionId) ?? null,
  isOverall: answer.isOverall ?? null,
  answer: answer.answer ?? answer.answerText ?? null,
  answerText: answer.answerText ?? null,
  score: answer.score ?? null,
  notApplicable: answer.notApplicable ?? null,
  selectedOptions: answer.selectedOptions ?? null,
});

/** A user's activity in a period. */
export type ActivityTotals = RecordType<typeof ActivityTotals>;
/** A user's activity per day. */
export type DailyActivity = RecordType<typeof DailyActivity>;
/** A user's interaction metrics. */
export type Interaction = RecordType<typeof Interaction>;
/** A user's coaching counts. */
export type Coaching = RecordType<typeof Coaching>;
/** A scorecard. */
export type Scorecard = RecordType<typeof Scorecard>;
/** A tracker. */
export type Tracker = RecordType<typeof Tracker>;
/** A completed scorecard. */
export type AnsweredScorecard = RecordType<typeof AnsweredScorecard>;
