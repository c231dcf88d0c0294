import * as z from 'zod';
import {
  action,
  byteRange,
  bytes,
  download as bytesOf,
  ConnectorError,
  entity,
  type HttpRequest,
  post,
  type Steps,
} from '../../src/authoring.js';
import { isEmptyResultError } from './faults.js';
import { callId, listIn } from './operations.js';

type Kind = 'audio' | 'video';

const params = z.strictObject({
  filter: z
    .strictObject({
      callIds: z
        .array(callId('From `calls.list`.'))
        .length(1, 'must contain exactly one call id')
        .describe('One call id, in an array.'),
    })
    .describe('Which call.'),
  contentSelector: z
    .strictObject({
      exposedFields: z
        .strictObject({ media: z.literal(true, 'must be true').describe('Must be true.') })
        .describe('Must be { media: true }.'),
    })
    .describe('Must be { exposedFields: { media: true } }.'),
  range_header: byteRange,
});

const notFound = (callId: string) =>
  new ConnectorError('not_found', `Call ${callId} not found.`, {
    status: 404,
    hint: "The recording may still be processing or may not be visible to the key's owner.",
  });

/** The URL of a recording. Gong signs a new one for each request, valid for eight hours. */
function* addressOf(kind: Kind, callId: string): Generator<HttpRequest, string, any> {
  const selection = { filter: { callIds: [callId] }, contentSelector: { exposedFields: { media: true } } };
  let call: any;
  try {
    const calls = listIn(yield post('/v2/calls/extensive', selection), 'calls');
    if (!Array.isArray(calls)) throw new ConnectorError('invalid_response', "Gong's response has no list of calls.");
    call = calls[0];
  } catch (error) {
    throw isEmptyResultError(error) ? notFound(callId) : error;
  }
  if (call === undefined) throw notFound(callId);
  const { audioUrl, videoUrl } = call.media ?? {};
  const address = kind === 'audio' ? audioUrl : videoUrl;
  if (typeof address === 'string' && address !== '') {
    if (/^https?:\/\//i.test(address)) return address;
    throw new ConnectorError('invalid_response', 'Gong sent an invalid recording URL.');
  }
  const other = kind === 'audio' ? videoUrl : audioUrl;
  const available = other ? `only ${kind === 'audio' ? 'video' : 'audio'}` : 'no recording at all';
  throw new ConnectorError('not_downloadable', `Call ${callId} has no ${kind}: there is ${available}.`, {
    hint: other ? `Use call_${kind === 'audio' ? 'video' : 'audio'}.download.` : undefined,
  });
}

/** Gets the signed URL, then downloads the bytes from it without sending credentials. */
function* fetchRecording(kind: Kind, { filter, range_header }: z.output<typeof params>): Steps {
  const callId = filter.callIds[0] ?? '';
  const downloadRequest = (url: string): HttpRequest => ({ ...bytesOf(url, undefined, range_header), anonymous: true });
  try {
    return checkRecording(yield downloadRequest(yield* addressOf(kind, callId)));
  } catch (error) {
    if (!isStale(error)) throw asRangeError(error);
  }
  try {
    return checkRecording(yield downloadRequest(yield* addressOf(kind, callId)));
  } catch (error) {
    throw asRangeError(error);
  }
}

/** An HTML page or error message must not be saved as a recording. */
function checkRecording(download: any): unknown {
  const type: string = download?.meta?.content_type ?? '';
  if (!/^(text\/html|application\/(json|xml))\b/i.test(type)) return download;
  download.data?.cancel().catch(() => {});
  throw new ConnectorError('invalid_response', `Gong's media host sent ${type} instead of a recording.`, {
    retryable: true,
  });
}

/** The media host responds with 403 and XML; Gong itself never does. */
const isStale = (error: unknown): boolean =>
  ConnectorError.is(error) && error.code === 'forbidden' && error.vendor?.message === undefined;

const asRangeError = (error: unknown): unknown =>
  ConnectorError.is(error) && error.status === 416
    ? new ConnectorError('invalid_params', 'range_header is past the end of the recording.', {
        status: 416,
        issues: [{ path: 'range_header', message: 'is past the end' }],
      })
    : error;

const download = (kind: Kind) =>
  action({
    description: `Download the ${kind} of one call.`,
    params,
    returns: bytes,
    request: (given) => fetchRecording(kind, given),
    example: {
      filter: { callIds: ['7782342274025937895'] },
      contentSelector: { exposedFields: { media: true } },
    },
  });

export const call_audio = entity({
  description: 'Audio of recorded calls.',
  actions: { download: download('audio') },
});

export const call_video = entity({
  description: 'Video of recorded calls; phone calls have no video.',
  actions: { download: download('video') },
});
