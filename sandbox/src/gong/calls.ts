import { filterOf, type GongContext, listBody, parseIds, parseTimestampParameter } from './context.js';
import { conversationOf } from './conversation.js';
import { apiErrors } from './errors.js';
import type { CallRow } from './rows.js';
import { formatTimestamp } from './timestamps.js';

/** A filter for calls. */
export interface CallFilter {
  from: number | undefined;
  to: number | undefined;
  workspaceId: string | undefined;
  callIds: Set<string> | undefined;
  hostIds: Set<string> | undefined;
}

/** The listed calls, and the total including unprocessed ones. */
interface MatchingCalls {
  rows: CallRow[];
  total: number;
}

const noFilter = { from: undefined, to: undefined, workspaceId: undefined, callIds: undefined, hostIds: undefined };

/** GET /v2/calls */
export function listCalls(context: GongContext): object {
  const { search } = context;
  const matching = findCalls(context, {
    ...noFilter,
    from: parseTimestampParameter(search.get('fromDateTime') ?? undefined, 'fromDateTime'),
    to: parseTimestampParameter(search.get('toDateTime') ?? undefined, 'toDateTime'),
    workspaceId: search.get('workspaceId') ?? undefined,
  });
  return listBody(context, 'calls', { ...matching, keyOf: ({ id }) => id }, metaDataOf, search.get('cursor'));
}

/** GET /v2/calls/{id} */
export function getCall(context: GongContext): object {
  const [id = ''] = context.pathParameters;
  const call = visibleCalls(context).find((one) => one.id === id);
  if (!call) throw apiErrors.notFound('Call', id);
  return { call: metaDataOf(call) };
}

/** Calls that the credential can see and Gong has processed. */
export function visibleCalls({ world, grant, now }: GongContext): readonly CallRow[] {
  return grant.seesCalls ? world.calls.filter(({ ready }) => ready <= now) : [];
}

/** The filter in a POST request that lists calls. */
export function callFilterOf(context: GongContext): CallFilter {
  const filter = filterOf(context);
  return {
    from: parseTimestampParameter(filter.fromDateTime, 'filter.fromDateTime'),
    to: parseTimestampParameter(filter.toDateTime, 'filter.toDateTime'),
    workspaceId: filter.workspaceId === undefined ? undefined : String(filter.workspaceId),
    callIds: parseIds(filter, 'callIds'),
    hostIds: parseIds(filter, 'primaryUserIds'),
  };
}

/** Calls that match a filter; throws Gong's empty-result error if none do. */
export function findCalls(
  { world, grant, now }: GongContext,
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, workspaceId, callIds, hostIds }: CallFilter,
  availableSince: 'ready' | 'analysed' = 'ready',
): MatchingCalls {
  const matching = world.calls.filter((call) => {
    // Web conferences are filtered by scheduled start, all others by actual start.
    const time = call.occasion.kind === 'phone' || call.occasion.kind === 'upload' ? call.started : call.scheduled;
    return (
      time >= from &&
      time < to &&
      (!workspaceId || call.workspaceId === workspaceId) &&
      (!callIds || callIds.has(call.id)) &&
      (!hostIds || hostIds.has(call.hostId)) &&
      call.started + call.duration * 1000 <= now
    );
  });
  const rows = grant.seesCalls ? matching.filter((call) => call[availableSince] <= now) : [];
  if (rows.length === 0) throw apiErrors.empty('calls');
  return { rows, total: matching.length };
}

/** Metadata of every call. */
export function metaDataOf(call: CallRow) {
  const { id, occasion, duration, digits } = call;
  return {
    id,
    url: `https://us-55616.app.gong.io/call?id=${id}`,
    title: occasion.title,
    scheduled: formatTimestamp(call.scheduled),
    started: formatTimestamp(call.started, digits),
    duration,
    primaryUserId: call.hostId,
    direction: call.direction,
    system: call.system,
    scope: call.scope,
    media: call.recording.hasVideo ? 'Video' : 'Audio',
    language: call.language,
    workspaceId: call.workspaceId,
    sdrDisposition: occasion.kind === 'phone' ? 'Connected' : null,
    clientUniqueId: occasion.kind === 'upload' ? `upload-${id.slice(0, 6)}` : null,
    customData: occasion.kind === 'upload' ? 'recorder=meeting room' : null,
    purpose: occasion.purpose,
    meetingUrl: call.meetingUrl,
    isPrivate: call.isPrivate,
    calendarEventId: call.calendarEventId,
  };
}

/** POST /v2/calls/transcript */
export function listTranscripts(context: GongContext): object {
  const matching = findCalls(context, { ...callFilterOf(context), hostIds: undefined });
  return listBody(context, 'callTranscripts', { ...matching, keyOf: ({ id }) => id }, transcriptView);
}

function transcriptView(call: CallRow) {
  const transcript = conversationOf(call).map(({ partyIndex, topic, sentences }) => ({
    speakerId: call.parties[partyIndex]!.speakerId,
    topic,
    sentences,
  }));
  return { callId: call.id, transcript };
}
