import { momentText } from './moments.js';
import { filterOf, idsIn, listed, momentIn, type Reading } from './reading.js';
import { refusals } from './refusals.js';
import type { CallRow } from './rows.js';

/** Which calls are asked for. */
export interface CallFilter {
  from: number | undefined;
  to: number | undefined;
  workspaceId: string | undefined;
  callIds: Set<string> | undefined;
  hostIds: Set<string> | undefined;
}

/** Calls that a list gives, and how many there would be if all of them had been processed. */
interface Found {
  rows: CallRow[];
  total: number;
}

const noFilter = { from: undefined, to: undefined, workspaceId: undefined, callIds: undefined, hostIds: undefined };

/** GET /v2/calls */
export function listCalls(reading: Reading): object {
  const { search } = reading;
  const found = callsFor(reading, {
    ...noFilter,
    from: momentIn(search.get('fromDateTime') ?? undefined, 'fromDateTime'),
    to: momentIn(search.get('toDateTime') ?? undefined, 'toDateTime'),
    workspaceId: search.get('workspaceId') ?? undefined,
  });
  return listed(reading, 'calls', { ...found, keyOf: ({ id }) => id }, metaDataOf, search.get('cursor'));
}

/** GET /v2/calls/{id} */
export function getCall(reading: Reading): object {
  const [id = ''] = reading.parts;
  const call = visibleCalls(reading).find((one) => one.id === id);
  if (!call) throw refusals.notFound('Call', id);
  return { call: metaDataOf(call) };
}

/** Every call that the credential sees and that Gong has processed. */
export function visibleCalls({ world, grant, now }: Reading): readonly CallRow[] {
  return grant.seesCalls ? world.calls.filter(({ ready }) => ready <= now) : [];
}

/** The filter of a POST that lists calls. */
export function callFilterOf(reading: Reading): CallFilter {
  const filter = filterOf(reading);
  return {
    from: momentIn(filter.fromDateTime, 'filter.fromDateTime'),
    to: momentIn(filter.toDateTime, 'filter.toDateTime'),
    workspaceId: filter.workspaceId === undefined ? undefined : String(filter.workspaceId),
    callIds: idsIn(filter, 'callIds'),
    hostIds: idsIn(filter, 'primaryUserIds'),
  };
}

/** The calls that a filter lets through, or the refusal that stands for none. */
export function callsFor(
  { world, grant, now }: Reading,
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, workspaceId, callIds, hostIds }: CallFilter,
  appears: 'ready' | 'analysed' = 'ready',
): Found {
  const fitting = world.calls.filter((call) => {
    // Web conferences count by when they were to begin, all others by when they did.
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
  const rows = grant.seesCalls ? fitting.filter((call) => call[appears] <= now) : [];
  if (rows.length === 0) throw refusals.empty('calls');
  return { rows, total: fitting.length };
}

/** What Gong tells of every call. */
export function metaDataOf(call: CallRow) {
  const { id, occasion, duration, digits } = call;
  return {
    id,
    url: `https://us-55616.app.gong.io/call?id=${id}`,
    title: occasion.title,
    scheduled: momentText(call.scheduled),
    started: momentText(call.started, digits),
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
