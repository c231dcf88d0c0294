import type { EntityContract } from '../contract.js';

const page = 'cursor total_records current_page_number';
const inPages = { meta: page };
/** Lists that omit private calls report how many they omitted. */
const ofCalls = { meta: page, metaExtensions: 'private_dropped notes?' };
/** Lists whose rows do not show whether a call is private also report how many calls Gong does not return yet. */
const ofLookedUpCalls = { meta: page, metaExtensions: 'private_dropped notes? not_ready' };
const whole = { meta: '' };
const download: EntityContract = { actions: { download: 'filter contentSelector range_header?' } };
const statistics = { ...inPages, actions: { list: 'filter' }, extensions: { list: 'cursor?' } };

/** The names promised by the connector's reference, repeated here independently of the manifest. */
export const contract: Record<string, EntityContract> = {
  users: {
    record:
      'id emailAddress created active emailAliases trustedEmailAddress firstName lastName title phoneNumber extension personalMeetingUrls settings managerId meetingConsentPageUrl spokenLanguages',
    ...inPages,
    actions: { list: 'cursor?', get: 'id' },
    searchable: {
      boolean: 'active',
      array: 'emailAliases personalMeetingUrls spokenLanguages',
      object: 'settings',
      string:
        'created emailAddress extension firstName id lastName managerId meetingConsentPageUrl phoneNumber title trustedEmailAddress',
    },
  },
  calls: {
    record:
      'id url title scheduled started duration primaryUserId direction system scope media language workspaceId sdrDisposition clientUniqueId customData purpose meetingUrl isPrivate calendarEventId',
    ...ofCalls,
    actions: { list: 'fromDateTime? toDateTime? cursor?', get: 'id' },
    extensions: { list: 'workspaceId?' },
    searchable: {
      integer: 'duration',
      boolean: 'isPrivate',
      string:
        'calendarEventId clientUniqueId customData direction id language media meetingUrl primaryUserId purpose scheduled scope sdrDisposition started system title url workspaceId',
    },
  },
  calls_extensive: {
    record: 'metaData parties interaction collaboration content media',
    recordExtensions: 'context',
    ...ofCalls,
    actions: { list: 'filter contentSelector? cursor?' },
    searchable: {
      integer: 'id',
      string: 'startdatetime',
      object: 'collaboration content context interaction media metaData',
      array: 'parties',
    },
  },
  call_audio: download,
  call_video: download,
  workspaces: { record: 'id workspaceId name description', ...whole, actions: { list: '' } },
  call_transcripts: {
    record: 'callId! transcript',
    ...ofLookedUpCalls,
    actions: { list: 'filter cursor?' },
    extensions: { list: 'contains? speaker? from? to?' },
    searchable: { string: 'callId started', array: 'transcript' },
    semantic: {
      transcript: {
        hit: 'callId started',
        attributed: 'speakerId topic',
        enriched: 'speakerName speakerTitle speakerAffiliation callTitle callUrl',
      },
    },
  },
  stats_activity_aggregate: { record: 'userId! userEmailAddress userAggregateActivityStats', ...statistics },
  stats_activity_day_by_day: { record: 'userId! userEmailAddress userDailyActivityStats', ...statistics },
  stats_interaction: { record: 'userId! userEmailAddress personInteractionStats', ...statistics },
  settings_scorecards: {
    record: 'scorecardId! scorecardName workspaceId enabled updaterUserId created updated reviewMethod questions',
    ...whole,
    actions: { list: 'workspaceId?' },
    searchable: {
      boolean: 'enabled',
      array: 'questions',
      string: 'created scorecardId scorecardName updated updaterUserId workspaceId',
    },
  },
  settings_trackers: {
    record:
      'trackerId! trackerName workspaceId languageKeywords affiliation partOfQuestion saidAt saidAtInterval saidAtUnit saidInTopics filterQuery created creatorUserId updated updaterUserId',
    ...whole,
    actions: { list: 'workspaceId?' },
  },
  library_folders: {
    record: 'id name parentFolderId createdBy updated',
    ...whole,
    actions: { list: 'workspaceId' },
  },
  library_folder_content: {
    record: 'callId! title started duration primaryUserId url',
    ...ofLookedUpCalls,
    actions: { list: 'folderId cursor?' },
  },
  coaching: {
    record: 'userId! userEmailAddress userName isManager coachingMetrics',
    ...whole,
    actions: { list: 'workspace-id manager-id from to' },
  },
  stats_activity_scorecards: {
    record:
      'answeredScorecardId! scorecardId scorecardName callId callStartTime reviewedUserId reviewerUserId reviewMethod answeredDateTime reviewTime visibilityType visibility editorUserId answers overallScore',
    ...inPages,
    actions: { list: 'filter cursor?' },
    searchable: {
      array: 'answers',
      string:
        'answeredScorecardId callId callStartTime reviewTime reviewedUserId reviewerUserId scorecardId scorecardName visibilityType',
    },
  },
};

/** Parameters inside object parameters, as dotted paths; `?` after an optional one. */
export const innerParameters: Record<string, string> = {
  'calls_extensive.list':
    'filter.fromDateTime? filter.toDateTime? filter.callIds? filter.workspaceId? contentSelector.context? contentSelector.contextTiming? contentSelector.exposedFields? contentSelector.exposedFields.collaboration? contentSelector.exposedFields.collaboration.publicComments? contentSelector.exposedFields.content? contentSelector.exposedFields.content.pointsOfInterest? contentSelector.exposedFields.content.structure? contentSelector.exposedFields.content.topics? contentSelector.exposedFields.content.trackers? contentSelector.exposedFields.content.trackerOccurrences? contentSelector.exposedFields.content.brief? contentSelector.exposedFields.content.outline? contentSelector.exposedFields.content.highlights? contentSelector.exposedFields.content.callOutcome? contentSelector.exposedFields.content.keyPoints? contentSelector.exposedFields.interaction? contentSelector.exposedFields.interaction.personInteractionStats? contentSelector.exposedFields.interaction.questions? contentSelector.exposedFields.interaction.speakers? contentSelector.exposedFields.interaction.video? contentSelector.exposedFields.media? contentSelector.exposedFields.parties?',
  'call_audio.download': 'filter.callIds contentSelector.exposedFields contentSelector.exposedFields.media',
  'call_video.download': 'filter.callIds contentSelector.exposedFields contentSelector.exposedFields.media',
  'call_transcripts.list': 'filter.fromDateTime? filter.toDateTime? filter.callIds?',
  'stats_activity_aggregate.list': 'filter.fromDate filter.toDate filter.userIds?',
  'stats_activity_day_by_day.list': 'filter.fromDate filter.toDate filter.userIds?',
  'stats_interaction.list': 'filter.fromDate filter.toDate filter.userIds?',
  'stats_activity_scorecards.list':
    'filter.fromDateTime filter.toDateTime filter.scorecardIds? filter.reviewedUserIds? filter.reviewerUserIds? filter.callIds?',
};

/** The same, for parameters beyond the contract. */
export const innerExtensions: Record<string, string> = {
  'calls_extensive.list': 'filter.primaryUserIds?',
  'call_transcripts.list': 'filter.workspaceId?',
};

const activities =
  'callsAsHost callsGaveFeedback callsRequestedFeedback callsReceivedFeedback ownCallsListenedTo othersCallsListenedTo callsSharedInternally callsSharedExternally callsScorecardsFilled callsScorecardsReceived callsAttended callsCommentsGiven callsCommentsReceived callsMarkedAsFeedbackGiven callsMarkedAsFeedbackReceived';

/** Fields inside record fields whose contents the contract names. */
export const innerFields: Record<string, Record<string, string>> = {
  stats_activity_aggregate: { userAggregateActivityStats: activities },
  stats_activity_day_by_day: { userDailyActivityStats: `${activities} fromDate toDate` },
  stats_interaction: { personInteractionStats: 'name value' },
  settings_scorecards: {
    questions:
      'questionId questionRevisionId questionText questionType isRequired isOverall updaterUserId answerGuid minRange maxRange created updated answerOptions',
  },
  coaching: { coachingMetrics: 'callsListened callsAttended callsWithFeedback callsWithComments scorecardsFilled' },
  stats_activity_scorecards: {
    answers: 'questionId questionRevisionId isOverall answer answerText score notApplicable selectedOptions',
  },
};
