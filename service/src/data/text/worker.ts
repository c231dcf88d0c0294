import { Worker } from 'node:worker_threads';
import { extractText } from './extract.js';
import type { Format } from './formats.js';

/** One file to read. */
export interface Job {
  readonly bytes: Uint8Array;
  readonly format: Format;
}

/** What became of it. */
export type Outcome = { readonly text: string } | { readonly failure: string };

// What runs in a process of its own: one file at a time, and an end to the process is an end to the file.
const [, , maxMiB] = process.argv;

// While a file is read nothing else is heard here, so that a thread watches the memory, and whether anyone waits.
const memoryWatch = `
  const parent = process.ppid;
  setInterval(() => {
    const isTooMuch = process.memoryUsage.rss() > ${Number(maxMiB)} * 1024 * 1024;
    if (isTooMuch || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, 50);
`;
new Worker(memoryWatch, { eval: true }).unref();

// Whoever ends the service from a terminal ends the service alone, which ends this.
process.on('SIGINT', () => undefined);
process.on('message', async ({ bytes, format }: Job) => {
  const outcome: Outcome = await extractText(bytes, format).then(
    (text) => ({ text }),
    (error: Error) => ({ failure: error.message }),
  );
  process.send?.(outcome);
});
