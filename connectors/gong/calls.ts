import * as z from 'zod';
import { action, entity, get, linePeriod, many, one, path, post, transcriptParams } from '../../src/authoring.js';
import {
  callId,
  cursor,
  emptyIfNotFound,
  id,
  ids,
  instant,
  LookedUpPage,
  leftOutNotes,
  listIn,
  nextPageParams,
  nothingLeftOut,
  PublicPage,
  pageOf,
  periodError,
  startsBeforeEnd,
  withoutPrivate,
} from './operations.js';
import { Call, ExtensiveCall, Transcript } from './records.js';
import * as searchable from './searchable.js';
import { publicTranscripts } from './transcripts.js';

const from = instant('Only calls at or after this time').optional();
const to = instant('Only calls before this time').optional();
const workspaceId = id('Only calls in this workspace.').optional();
const callIds = ids('Only these calls, up to 100 per request.', callId);
const periodFields = ['fromDateTime', 'toDateTime'] as const;
const isPeriodOrdered = startsBeforeEnd(...periodFields);

export const calls = entity({
  description: 'Recorded calls. A call appears minutes to hours after it ends, once processed.',
  search: searchable.calls,
  actions: {
    list: action({
      description: 'List calls by scheduled or actual start time. Private calls are omitted.',
      params: z
        .strictObject({
          fromDateTime: from,
          toDateTime: to,
          cursor,
          workspaceId: workspaceId.meta({ extension: true }),
        })
        .refine(isPeriodOrdered, periodError(...periodFields)),
      returns: many(Call, PublicPage),
      request: (params) => emptyIfNotFound(get('/v2/calls', params), 'calls'),
      read: (body, _, settings) => {
        const { kept, private_dropped } = withoutPrivate(
          listIn(body, 'calls'),
          settings,
          (call) => call?.isPrivate === true,
        );
        return { data: kept, meta: { ...pageOf(body), private_dropped }, notes: leftOutNotes(private_dropped) };
      },
      next: nextPageParams,
      example: { fromDateTime: '2026-09-01T00:00:00Z', toDateTime: '2026-09-08T00:00:00Z' },
    }),
    get: action({
      description: 'Get one call, including a private one.',
      params: z.strictObject({ id: callId('From `calls.list`.') }),
      returns: one(Call),
      request: (params) => get(path`/v2/calls/${params.id}`),
      read: (body) => ({ data: body.call }),
      example: { id: '7782342274025937895' },
    }),
  },
});

const flag = (description: string) => z.boolean().optional().describe(description);

/** The parts of a call's content to request. */
export interface ExposedContent {
  brief?: boolean | undefined;
  outline?: boolean | undefined;
  highlights?: boolean | undefined;
  keyPoints?: boolean | undefined;
  callOutcome?: boolean | undefined;
  topics?: boolean | undefined;
  structure?: boolean | undefined;
  trackers?: boolean | undefined;
  trackerOccurrences?: boolean | undefined;
  /** @deprecated Not sent since 2025; use highlights. */
  pointsOfInterest?: boolean | undefined;
}

// The type is named because the compiler drops the deprecation note when it expands an inline type. The cast is needed
// because checking the schema against its type costs more instantiations than the rest of this connector.
const exposedContent = z
  .strictObject({
    brief: flag('A summary.'),
    outline: flag('The call, split into sections.'),
    highlights: flag('Highlights, including next steps.'),
    keyPoints: flag('Key points.'),
    callOutcome: flag('Outcome of the call.'),
    topics: flag('Topics and the time spent on each.'),
    structure: flag('Agenda items and the time spent on each.'),
    trackers: flag('Keywords and their counts.'),
    trackerOccurrences: flag('When each keyword was mentioned; requires trackers.'),
    pointsOfInterest: flag('Deprecated: empty since 2025; use highlights.').meta({ deprecated: true }),
  })
  .refine(({ trackers, trackerOccurrences }) => !trackerOccurrences || trackers === true, {
    path: ['trackerOccurrences'],
    error: 'requires trackers: true',
  }) as unknown as z.ZodType<ExposedContent, ExposedContent>;

const exposedFields = z.strictObject({
  collaboration: z.strictObject({ publicComments: flag('Comments on the call.') }).optional(),
  content: exposedContent.optional(),
  interaction: z
    .strictObject({
      speakers: flag('Talk time per speaker.'),
      personInteractionStats: flag('Metrics such as Talk Ratio, returned as interactionStats.'),
      questions: flag('Number of questions per side.'),
      video: flag('Content shown in the video and for how long.'),
    })
    .optional(),
  media: flag('URLs of the recordings.'),
  parties: flag('Participants.'),
});

const contentSelector = z
  .strictObject({
    context: z.enum(['Extended']).optional().describe('Extended adds CRM records.'),
    contextTiming: z
      .array(z.enum(['Now', 'TimeOfCall']))
      .min(1)
      .optional()
      .describe('Return CRM values as of now, at the time of the call, or both; requires context.'),
    exposedFields: exposedFields.optional().describe('Sections to return besides metaData.'),
  })
  .refine(({ context, contextTiming }) => contextTiming === undefined || context !== undefined, {
    path: ['contextTiming'],
    error: "requires context: 'Extended'",
  })
  .describe('Sections to return for each call; metaData is always returned.');

export const calls_extensive = entity({
  description: 'Calls with parties, content, metrics, comments and recording URLs.',
  search: searchable.calls_extensive,
  actions: {
    list: action({
      description:
        'List calls with the sections chosen by contentSelector (default: metaData only). Private calls are omitted.',
      params: z.strictObject({
        filter: z
          .strictObject({
            fromDateTime: from,
            toDateTime: to,
            callIds,
            workspaceId,
            primaryUserIds: ids('Only calls hosted by these users.').meta({ extension: true }),
          })
          .refine(isPeriodOrdered, periodError(...periodFields))
          .describe('Calls to return. A period or callIds keeps the response small.'),
        contentSelector: contentSelector.optional(),
        cursor,
      }),
      returns: many(ExtensiveCall, PublicPage),
      request: (params) => emptyIfNotFound(post('/v2/calls/extensive', params), 'calls'),
      read: (body, _, settings) => {
        const hidden = (call: any) => call?.metaData?.isPrivate === true;
        const { kept, private_dropped } = withoutPrivate(listIn(body, 'calls'), settings, hidden);
        return { data: kept, meta: { ...pageOf(body), private_dropped }, notes: leftOutNotes(private_dropped) };
      },
      next: nextPageParams,
      example: {
        filter: { fromDateTime: '2026-09-01T00:00:00Z', toDateTime: '2026-09-08T00:00:00Z' },
        contentSelector: { exposedFields: { parties: true, content: { brief: true } } },
      },
    }),
  },
});

export const call_transcripts = entity({
  description: 'Call transcripts, by speaker and sentence.',
  search: searchable.call_transcripts,
  actions: {
    list: action({
      description:
        'List transcripts, whole or the sentences selected by contains, speaker, from and to; for speaker names of whole ones, see parties in calls_extensive. A second request filters out private and unprocessed calls.',
      params: z
        .strictObject({
          filter: z
            .strictObject({
              fromDateTime: from,
              toDateTime: to,
              callIds,
              workspaceId: workspaceId.meta({ extension: true }),
            })
            .refine(isPeriodOrdered, periodError(...periodFields))
            .describe('Calls to return. If both a period and callIds are given, calls must match both.'),
          cursor,
          ...transcriptParams,
        })
        .refine(...linePeriod),
      returns: many(Transcript, LookedUpPage),
      request: (params, { settings }) => publicTranscripts(params, settings.includePrivate),
      read: ({ leftOut: { private_dropped, not_ready } = nothingLeftOut, selectedNotes = [], ...body }) => ({
        data: listIn(body, 'callTranscripts'),
        meta: { ...pageOf(body), private_dropped, not_ready },
        notes: [...leftOutNotes(private_dropped, not_ready), ...selectedNotes],
      }),
      next: nextPageParams,
      example: { filter: { callIds: ['7782342274025937895'] } },
    }),
  },
});
