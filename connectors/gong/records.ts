import * as z from 'zod';
import { type RecordType, record } from '../../src/authoring.js';

const text = z.string().nullable();
const flag = z.boolean().nullable();
const integer = z.int().nullable();
const texts = z.array(z.string()).nullable();
const instant = text.describe("ISO 8601 with the company's UTC offset and up to microsecond precision.");

/** Ids are digits and may exceed 2^53; numeric ids are converted to strings. */
export const id = (value: unknown): string | undefined =>
  typeof value === 'number' || typeof value === 'string' ? String(value) : undefined;
const ids = <const Names extends readonly string[]>(...names: Names) =>
  Object.fromEntries(names.map((name) => [name, (payload: any) => id(payload[name])])) as {
    [K in Names[number]]: (payload: any) => string | undefined;
  };

/** Someone with a seat in Gong. */
export const User = record(
  {
    id: z.string(),
    emailAddress: text,
    created: instant,
    active: flag,
    emailAliases: texts,
    trustedEmailAddress: text,
    firstName: text,
    lastName: text,
    title: text,
    phoneNumber: text,
    extension: text,
    personalMeetingUrls: texts,
    settings: z
      .looseObject({
        webConferencesRecorded: flag.optional(),
        preventWebConferenceRecording: flag.optional(),
        telephonyCallsImported: flag.optional(),
        emailsImported: flag.optional(),
        preventEmailImport: flag.optional(),
        nonRecordedMeetingsImported: flag.optional(),
        gongConnectEnabled: flag.optional(),
      })
      .nullable()
      .describe(
        'Recording and import settings for this user: webConferencesRecorded, emailsImported, …, all booleans.',
      ),
    managerId: text,
    meetingConsentPageUrl: text,
    spokenLanguages: z
      .array(z.looseObject({ language: z.string().nullish(), primary: z.boolean().nullish() }))
      .nullable()
      .describe('As { language, primary }; language is a BCP 47 tag.'),
  },
  ids('id', 'managerId'),
  {
    concise: ['id', 'firstName', 'lastName', 'emailAddress', 'title', 'active'],
    more: ['managerId', 'phoneNumber', 'created', 'spokenLanguages.language'],
  },
);

const call = {
  id: z.string(),
  url: text,
  title: text,
  scheduled: instant,
  started: instant,
  duration: integer.describe('Seconds.'),
  primaryUserId: text.describe('The host.'),
  direction: text.describe('Inbound, Outbound, Conference or Unknown.'),
  system: text,
  scope: text.describe('Internal, External or Unknown.'),
  media: text.describe('Video or Audio.'),
  language: text.describe('ISO 639-2; und is undetermined.'),
  workspaceId: text,
  sdrDisposition: text,
  clientUniqueId: text,
  customData: text,
  purpose: text,
  meetingUrl: text,
  isPrivate: flag,
  calendarEventId: text,
};

/** A recorded call. */
export const Call = record(call, ids('id', 'primaryUserId', 'workspaceId'), {
  concise: ['id', 'title', 'started', 'duration', 'direction', 'scope', 'primaryUserId', 'url'],
  more: ['scheduled', 'system', 'media', 'language', 'purpose', 'meetingUrl', 'workspaceId', 'isPrivate'],
});

const name = z.string().nullish();
const seconds = z.number().nullish().describe('Seconds.');
const timed = z.looseObject({ name, duration: seconds });
const crm = z.looseObject({
  system: z.string().nullish().describe('Salesforce, HubSpot, MicrosoftDynamic or Generic.'),
  objects: z
    .array(
      z.looseObject({
        objectType: z.string().nullish(),
        objectId: z.string().nullish(),
        fields: z.array(z.looseObject({ name, value: z.unknown() })).nullish(),
        timing: z.string().nullish(),
      }),
    )
    .nullish(),
});

const party = z.looseObject({
  id: z.string().nullish(),
  name,
  emailAddress: z.string().nullish(),
  title: z.string().nullish(),
  userId: z.string().nullish(),
  speakerId: z.string().nullish(),
  affiliation: z.string().nullish().describe('Internal, External or Unknown.'),
  phoneNumber: z.string().nullish(),
  methods: z.array(z.string()).nullish().describe('Invitee, Attendee.'),
  context: z.array(crm).nullish(),
});

const interaction = z.looseObject({
  speakers: z
    .array(z.looseObject({ id: z.string().nullish(), userId: z.string().nullish(), talkTime: seconds }))
    .nullish(),
  interactionStats: z.array(z.looseObject({ name, value: z.number().nullish() })).nullish(),
  video: z.array(timed).nullish(),
  questions: z.looseObject({ companyCount: z.int().nullish(), nonCompanyCount: z.int().nullish() }).nullish(),
});

const comment = z.looseObject({
  id: z.string().nullish(),
  comment: z.string().nullish(),
  commenterUserId: z.string().nullish(),
  posted: z.string().nullish(),
  audioStartTime: seconds,
  audioEndTime: seconds,
  inReplyTo: z.string().nullish(),
  duringCall: z.boolean().nullish(),
});

const tracker = z.looseObject({
  id: z.string().nullish(),
  name,
  count: z.int().nullish(),
  type: z.string().nullish().describe('KEYWORD or SMART.'),
  occurrences: z.array(z.unknown()).nullish(),
  phrases: z.array(z.unknown()).nullish(),
});

const content = z.looseObject({
  brief: z.string().nullish(),
  trackers: z.array(tracker).nullish(),
  topics: z.array(timed).nullish(),
  structure: z.array(timed).nullish(),
  outline: z
    .array(
      z.looseObject({
        section: z.string().nullish(),
        startTime: seconds,
        duration: seconds,
        items: z.array(z.looseObject({ text: z.string().nullish(), startTime: seconds })).nullish(),
      }),
    )
    .nullish(),
  highlights: z
    .array(
      z.looseObject({
        title: z.string().nullish(),
        items: z
          .array(z.looseObject({ text: z.string().nullish(), startTimes: z.array(z.number()).nullish() }))
          .nullish(),
      }),
    )
    .nullish(),
  callOutcome: z.looseObject({ id: z.string().nullish(), category: z.string().nullish(), name }).nullish(),
  keyPoints: z.array(z.looseObject({ text: z.string().nullish() })).nullish(),
});

/** A call with the parts requested in contentSelector; all other parts are null. */
export const ExtensiveCall = record(
  {
    metaData: z.looseObject(call).partial().nullable().describe('Call metadata.'),
    parties: z
      .array(party)
      .nullable()
      .describe('Participants. speakerId matches the transcript; null if the participant never spoke.'),
    interaction: interaction.nullable().describe('personInteractionStats is returned as interactionStats.'),
    collaboration: z.looseObject({ publicComments: z.array(comment).nullish() }).nullable(),
    content: content.nullable().describe('Times are in seconds.'),
    media: z
      .looseObject({ audioUrl: z.string().nullish(), videoUrl: z.string().nullish() })
      .nullable()
      .describe('URLs that work for anyone and expire after eight hours.'),
    context: z
      .array(crm)
      .nullable()
      .describe('CRM records, if contentSelector.context is Extended.')
      .meta({ extension: true }),
  },
  {},
  {
    concise: [
      'metaData.id',
      'metaData.title',
      'metaData.started',
      'metaData.duration',
      'metaData.direction',
      'metaData.primaryUserId',
      'metaData.url',
      'parties.name',
      'parties.title',
      'parties.emailAddress',
      'parties.affiliation',
      'parties.userId',
      'parties.speakerId',
      // Available only if requested in contentSelector.
      'interaction',
      'collaboration',
      'content',
      'media',
      'context',
    ],
  },
);

/** A workspace in the company. */
export const Workspace = record(
  { id: z.string(), workspaceId: text.describe('Same as id.'), name: text, description: text },
  { ...ids('id'), workspaceId: (payload) => id(payload.workspaceId ?? payload.id) },
  { concise: ['id', 'name', 'description'] },
);

/** The transcript of a call. */
export const Transcript = record(
  {
    callId: z.string(),
    transcript: z
      .array(
        z.looseObject({
          speakerId: z.string().nullish().describe('Matches speakerId in the parties list from calls_extensive.'),
          speakerName: z.string().nullish().describe('Only if sentences are selected.').meta({ extension: true }),
          topic: z.string().nullish(),
          sentences: z
            .array(z.looseObject({ start: z.number(), end: z.number(), text: z.string() }))
            .nullish()
            .describe('start and end are in milliseconds from the start of the call.'),
        }),
      )
      .nullable()
      .describe('Speaker turns, in order.'),
  },
  ids('callId'),
  {
    layout: {
      transcript: {
        turns: 'transcript',
        speaker: ['speakerName', 'speakerId'],
        sentences: 'sentences',
        text: 'text',
        start: 'start',
        topic: 'topic',
        names: 'parties from calls_extensive.list, called once with exposedFields.parties: true and these callIds',
      },
    },
  },
);

/** A library folder. */
export const LibraryFolder = record(
  {
    id: z.string(),
    name: text,
    parentFolderId: text.describe('Null for the root folder.'),
    createdBy: text,
    updated: instant,
  },
  ids('id', 'parentFolderId', 'createdBy'),
  { concise: ['id', 'name', 'parentFolderId', 'updated'] },
);

/** A call in a library folder. `started`, `duration` and `primaryUserId` are looked up. */
export const FolderCall = record(
  { callId: z.string(), title: text, started: instant, duration: integer, primaryUserId: text, url: text },
  { callId: (payload) => id(payload.callId ?? payload.id), ...ids('primaryUserId') },
);

/** A user of Gong. */
export type User = RecordType<typeof User>;
/** A recorded call. */
export type Call = RecordType<typeof Call>;
/** A call with its content. */
export type ExtensiveCall = RecordType<typeof ExtensiveCall>;
/** A workspace. */
export type Workspace = RecordType<typeof Workspace>;
/** The transcript of a call. */
export type Transcript = RecordType<typeof Transcript>;
/** A library folder. */
export type LibraryFolder = RecordType<typeof LibraryFolder>;
/** A call in a library folder. */
export type FolderCall = RecordType<typeof FolderCall>;
