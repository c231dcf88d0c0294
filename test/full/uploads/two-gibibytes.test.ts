import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { expect, test, vi } from 'vitest';
import { freezeTime } from '../../engine/time.js';

const MiB = 2 ** 20;
const size = 2 ** 31;

setFlagsFromString('--expose-gc');
/** Frees unreferenced memory, so that measurements do not depend on when garbage collection runs. */
const collectGarbage = runInNewContext('gc') as () => void;

const outageMs = 60_000;

/**
 * Google's resumable upload protocol, discarding the bytes that arrive. Halfway through, the network is down for a minute, and
 * one request is lost near the end.
 */
function countingGoogle() {
  const state = { received: 0, breaks: 0, refused: 0, waiting: false };
  let upAgain = 0;
  const session = 'https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable&upload_id=S';
  const answer = async (range: string, { body }: RequestInit) => {
    if (!range.startsWith('bytes *')) {
      expect(Number(/^bytes (\d+)-/.exec(range)![1])).toBe(state.received);
      const reader = (body as Blob).stream().getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read())
        state.received += piece.value.byteLength;
    }
    if (range.endsWith(`/${state.received}`)) return Response.json({ id: 'F', size: String(state.received) });
    return new Response(null, { status: 308, headers: { range: `bytes=0-${state.received - 1}` } });
  };
  const fetch: typeof globalThis.fetch = async (_, init) => {
    if (init?.method === 'POST') return new Response(null, { headers: { location: session } });
    state.waiting = false;
    const isHalfWay = state.breaks === 0 && state.received > size / 2;
    if (isHalfWay) upAgain = Date.now() + outageMs;
    if (isHalfWay || (state.breaks === 1 && state.received > size - 64 * MiB)) state.breaks++;
    else if (Date.now() >= upAgain) return answer(new Headers(init?.headers).get('content-range')!, init!);
    state.refused++;
    state.waiting = true;
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
  };
  return { state, fetch };
}

test('a 2 GiB stream is uploaded with constant memory despite a one-minute outage', async () => {
  const { state, fetch } = countingGoogle();
  const drive = new GoogleDriveConnector({ credentials: { access_token: 'ya29.large' }, fetch });
  let sent = 0;
  /** Peak memory of the process in each eighth of the upload. */
  const peaks = Array(8).fill(0);
  const used = () => {
    collectGarbage();
    return Math.round(process.memoryUsage().rss / MiB);
  };
  const content = new ReadableStream<Uint8Array>(
    {
      pull(stream) {
        if (sent === size) return stream.close();
        const part = Math.floor((sent / size) * peaks.length);
        if (sent % (16 * MiB) === 0) peaks[part] = Math.max(peaks[part], used());
        sent += MiB;
        stream.enqueue(new Uint8Array(MiB).fill(sent / MiB));
      },
    },
    { highWaterMark: 0 },
  );
  const started = process.hrtime.bigint();
  freezeTime();
  let settled = false;
  const upload = drive.files_upload
    .create({ name: 'large.bin', file_content: content }, { timeoutMs: 600_000 })
    .finally(() => {
      settled = true;
    });
  // The clock advances only while a request waits to be retried; sending takes no time.
  while (!settled) {
    await new Promise((resolve) => setImmediate(resolve));
    if (state.waiting) vi.advanceTimersByTime(10);
  }
  const { data } = await upload;
  const seconds = (Number(process.hrtime.bigint() - started) / 1e9).toFixed(1);
  console.log(`2 GiB in ${seconds} s; RSS in MiB at most, by eighths: ${peaks.join(', ')}`);
  expect(data.size).toBe(String(size));
  expect(state).toMatchObject({ received: size, breaks: 2 });
  expect(state.refused).toBeGreaterThan(3);
  expect(Math.max(...peaks.slice(4))).toBeLessThan(Math.max(...peaks.slice(0, 4)) * 1.5);
  expect(Math.max(...peaks)).toBeLessThan(512);
});
