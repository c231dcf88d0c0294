import { connectorPath, readResponse, requestTo, startTestService, type Tenant } from './setup.js';

interface FileOptions {
  /** File contents as sent by the vendor. */
  readonly bytes: Uint8Array;
  readonly type?: string;
  readonly name?: string;
  /** Whether the vendor supports ranges. */
  readonly ranges?: boolean;
  /** Whether the vendor reports the file's length. */
  readonly length?: boolean;
  /** An incorrect range to report. */
  readonly contentRange?: string;
  /** Bytes after which the connection breaks. */
  readonly breaksAt?: number;
  /** Bytes after which the body ends as if complete. */
  readonly endsAt?: number;
}

export interface FileService {
  readonly tenant: Tenant;
  readonly id: string;
  readonly requestedRanges: Array<string | null>;
  readonly transferred: { bytes: number; cancelled: boolean };
  open(params?: object, accept?: string, signal?: AbortSignal): Promise<Response>;
  chunk(range?: string): Promise<{ readonly status: number; readonly body: any }>;
}

/** A service whose Google Drive has one file. */
export async function serveFile({
  bytes,
  type,
  name,
  ranges = true,
  length = true,
  contentRange,
  breaksAt,
  endsAt,
}: FileOptions): Promise<FileService> {
  const requestedRanges: Array<string | null> = [];
  const transferred = { bytes: 0, cancelled: false };
  const running = await startTestService({
    fetch: async (_, init) => {
      const range = new Headers(init?.headers).get('range');
      requestedRanges.push(range);
      const [, from = '', to = ''] = (ranges && /^bytes=(\d*)-(\d*)$/.exec(range ?? '')) || [];
      const start = from === '' ? Math.max(0, bytes.length - Number(to || bytes.length)) : Number(from);
      const end = from === '' || to === '' ? bytes.length : Math.min(bytes.length, Number(to) + 1);
      if (start >= bytes.length && range !== null && ranges) {
        return Response.json(
          { error: { code: 416, errors: [{ reason: 'requestedRangeNotSatisfiable' }] } },
          { status: 416 },
        );
      }
      const part = bytes.subarray(start, end);
      let at = 0;
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            if (breaksAt !== undefined && at >= breaksAt) throw new TypeError('terminated');
            const piece = part.subarray(at, Math.min(at + 10_000, breaksAt ?? endsAt ?? part.length));
            if (piece.length === 0) return controller.close();
            at += piece.length;
            transferred.bytes += piece.length;
            controller.enqueue(piece);
          },
          cancel() {
            transferred.cancelled = true;
          },
        },
        { highWaterMark: 0 },
      );
      const headers: Record<string, string> = { 'content-type': type ?? 'application/octet-stream' };
      if (name !== undefined) headers['content-disposition'] = name;
      if (length) headers['content-length'] = String(part.length);
      const isPart = ranges && range !== null;
      if (isPart) headers['content-range'] = `bytes ${start}-${end - 1}/${length ? bytes.length : '*'}`;
      if (contentRange) headers['content-range'] = contentRange;
      return new Response(body, { status: isPart ? 206 : 200, headers });
    },
  });
  const tenant = await running.tenant();
  const id = await tenant.connect('google-drive', { access_token: 'ya29.any' });
  const open = (params: object = {}, accept = '*/*', signal?: AbortSignal) =>
    running.service.fetch(
      requestTo(connectorPath(id, '/execute'), 'POST', {
        json: { entity: 'files', action: 'download', params: { fileId: 'f1', ...params } },
        headers: { authorization: `Bearer ${tenant.token}`, accept },
        ...(signal && { signal }),
      }),
    );
  return {
    tenant,
    id,
    requestedRanges,
    transferred,
    open,
    chunk: async (range_header) =>
      readResponse(await open({ ...(range_header && { range_header }) }, 'application/json')),
  };
}
