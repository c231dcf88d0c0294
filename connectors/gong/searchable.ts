import type { Search } from '../../src/authoring.js';

export const users = {
  fields: {
    boolean: ['active'],
    array: ['emailAliases', 'personalMeetingUrls', 'spokenLanguages'],
    object: ['settings'],
    string: [
      'created',
      'emailAddress',
      'extension',
      'firstName',
      'id',
      'lastName',
      'managerId',
      'meetingConsentPageUrl',
      'phoneNumber',
      'title',
      'trustedEmailAddress',
    ],
  },
  dateTimes: ['created'],
} as const satisfies Search;

export const calls = {
  fields: {
    integer: ['duration'],
    boolean: ['isPrivate'],
    string: [
      'calendarEventId',
      'clientUniqueId',
      'customData',
      'direction',
      'id',
      'language',
      'media',
      'meetingUrl',
      'primaryUserId',
      'purpose',
      'scheduled',
      'scope',
      'sdrDisposition',
      'started',
      'system',
      'title',
      'url',
      'workspaceId',
    ],
  },
  dateTimes: ['scheduled', 'started'],
} as const satisfies Search;

/** `id` is declared as a number but holds a string, since it can exceed a double's precision. */
export const calls_extensive = {
  fields: {
    integer: ['id'],
    string: ['startdatetime'],
    object: ['collaboration', 'content', 'context', 'interaction', 'media', 'metaData'],
    array: ['parties'],
  },
  dateTimes: ['startdatetime'],
  about: {
    title: ['metaData.title', 'content.brief'],
    words: ['parties.name', 'parties.emailAddress', 'content.keyPoints.text', 'content.topics.name'],
  },
} as const satisfies Search;

export const call_transcripts = {
  fields: { string: ['callId', 'started'], array: ['transcript'] },
  dateTimes: ['started'],
  about: { of: 'calls_extensive' },
  semantic: {
    transcript: {
      entity_fields: ['callId', 'started'],
      attribution: ['speakerId', 'topic'],
      enrichments: ['speakerName', 'speakerTitle', 'speakerAffiliation', 'callTitle', 'callUrl'],
    },
  },
} as const satisfies Search;

export const settings_scorecards = {
  fields: {
    boolean: ['enabled'],
    array: ['questions'],
    string: ['created', 'scorecardId', 'scorecardName', 'updated', 'updaterUserId', 'workspaceId'],
  },
  dateTimes: ['created', 'updated'],
  about: { title: ['scorecardName', 'questions.questionText'] },
} as const satisfies Search;

export const stats_activity_scorecards = {
  fields: {
    array: ['answers'],
    string: [
      'answeredScorecardId',
      'callId',
      'callStartTime',
      'reviewTime',
      'reviewedUserId',
      'reviewerUserId',
      'scorecardId',
      'scorecardName',
      'visibilityType',
    ],
  },
  dateTimes: ['callStartTime', 'reviewTime'],
} as const satisfies Search;
