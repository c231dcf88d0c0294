import type { CliEnvironment, Output } from '../environment.js';
import { coloursFor, printable } from './colour.js';

const refreshIntervalMs = 100;

/** A terminal line that is overwritten; does nothing if there is no terminal. */
export function statusLine(output: Output): { show(text: string): void; clear(): void } {
  let shown = false;
  if (output.isTTY !== true) return { show: () => {}, clear: () => {} };
  return {
    show(text) {
      shown = true;
      output.write(`\r\u001b[2K${printable(text)}`);
    },
    clear() {
      if (shown) output.write('\r\u001b[2K');
      shown = false;
    },
  };
}

const sizes = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A byte count in human-readable form. */
function bytesText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${sizes[power]}`;
}

/** Records per second, once there is enough to measure. */
export const rateText = (records: number, ms: number): string =>
  records > 0 && ms >= 1000 ? `${Math.round((records * 1000) / ms)}/s` : '';

/** Passes records through and counts them on the terminal, unless they are printed there themselves. */
export async function* withCount<T>(
  records: AsyncIterable<T>,
  { stdout, stderr }: Pick<CliEnvironment, 'stdout' | 'stderr'>,
): AsyncGenerator<T> {
  const line = statusLine(stderr);
  const begun = Date.now();
  let count = 0;
  let last = begun;
  try {
    for await (const record of records) {
      count += 1;
      const now = Date.now();
      if (stdout.isTTY !== true && now - last >= refreshIntervalMs) {
        last = now;
        const rate = rateText(count, now - begun);
        line.show(`${count} ${count === 1 ? 'record' : 'records'}${rate && ` · ${rate}`}`);
      }
      yield record;
    }
  } finally {
    line.clear();
  }
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Passes a download through and shows its progress on a terminal. */
export function withProgress(
  stream: ReadableStream<Uint8Array>,
  total: number | null,
  { stderr, env }: Pick<CliEnvironment, 'stderr' | 'env'>,
): ReadableStream<Uint8Array> {
  const line = statusLine(stderr);
  const { green, dim } = coloursFor(stderr, { env });
  const reader = stream.getReader();
  let passed = 0;
  let last = 0;
  const show = () => {
    const width = Math.max(10, Math.min(40, (stderr.columns || 80) - 40));
    const share = total ? Math.min(1, passed / total) : 0;
    const filled = Math.round(share * width);
    const bar = `${green('━'.repeat(filled))}${dim('━'.repeat(width - filled))} ${String(Math.floor(share * 100)).padStart(3)} %`;
    line.show(total ? `${bar}  ${bytesText(passed)} of ${bytesText(total)}` : bytesText(passed));
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            line.clear();
            controller.close();
            return;
          }
          passed += value.byteLength;
          if (Date.now() - last >= refreshIntervalMs) {
            last = Date.now();
            show();
          }
          controller.enqueue(value);
        } catch (error) {
          line.clear();
          throw error;
        }
      },
      cancel(reason) {
        line.clear();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Shows a spinner on a terminal until `work` is done. */
export async function withSpinner<T>(
  text: string,
  { stderr, env }: Pick<CliEnvironment, 'stderr' | 'env'>,
  work: () => Promise<T>,
): Promise<T> {
  const line = statusLine(stderr);
  const { green } = coloursFor(stderr, { env });
  let frame = 0;
  const timer = setInterval(() => line.show(`${green(frames[frame++ % frames.length]!)} ${text}`), refreshIntervalMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    line.clear();
  }
}
