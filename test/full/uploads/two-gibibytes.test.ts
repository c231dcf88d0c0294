import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { expect, test } from 'vitest';

const MiB = 2 ** 20;
const size = 2 ** 31;

/** Google's resumable protocol, which keeps nothing of what arrives; the network is down for a while in the middle. */
function countingGoogle() {
  const state = { received: 0, breaks: 0 };
  const session = 'https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable&upload_id=S';
  const fetch: typeof globalThis.fetch = async (_, init) => {
    if (init?.method === 'POST') return new Response(null, { headers: { location: session } });
    const range = new Headers(init?.headers).get('content-range')!;
    // Twice a request is lost, half-way and near the end.
    const isDown =
      (state.breaks === 0 && state.received > size / 2) || (state.breaks === 1 && state.received > size - 64 * MiB);
    if (isDown) {
      state.breaks++;
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
    }
    if (!range.startsWith('bytes *')) {
      expect(Number(/^bytes (\d+)-/.exec(range)![1])).toBe(state.received);
      const reader = (init!.body as Blob).stream().getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read())
        state.received += piece.value.byteLength;
    }
    if (range.endsWith(`/${state.received}`)) return Response.json({ id: 'F', size: String(state.received) });
    return new Response(null, { status: 308, headers: { range: `bytes=0-${state.received - 1}` } });
  };
  return { state, fetch };
}

test('a stream of 2 GiB is uploaded through breaks, in memory that does not grow with it', async () => {
  const { state, fetch } = countingGoogle();
  const drive = new GoogleDriveConnector({ credentials: { access_token: 'ya29.large' }, fetch });
  let sent = 0;
  /** The most memory in use during each eighth of the upload. */
  const peaks = Array(8).fill(0);
  const used = () => {
    const { heapUsed, external } = process.memoryUsage();
    return Math.round((heapUsed + external) / MiB);
  };
  const content = new ReadableStream<Uint8Array>(
    {
      pull(stream) {
        if (sent === size) return stream.close();
        const part = Math.floor((sent / size) * peaks.length);
        peaks[part] = Math.max(peaks[part], used());
        sent += MiB;
        stream.enqueue(new Uint8Array(MiB).fill(sent / MiB));
      },
    },
    { highWaterMark: 0 },
  );
  const started = performance.now();
  const { data } = await drive.files_upload.create({ name: 'large.bin', file_content: content });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`2 GiB in ${seconds} s; MiB in use at most, by eighths: ${peaks.join(', ')}`);
  expect(data.size).toBe(String(size));
  expect(state).toEqual({ received: size, breaks: 2 });
  // What the garbage collector has not freed yet comes and goes; it must not grow with what was sent.
  expect(Math.max(...peaks.slice(4))).toBeLessThan(Math.max(...peaks.slice(0, 4)) * 1.5);
  expect(Math.max(...peaks)).toBeLessThan(1024);
});
