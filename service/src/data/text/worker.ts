import { Worker } from 'node:worker_threads';
import { extractText, type File } from './extract.js';

// Runs in a child process, one file at a time, so that killing the process only affects that file.
const [, , maxMiB] = process.argv;

// Reading blocks the event loop, so a thread watches the memory and the parent process. A confined process cannot have
// threads: its parent watches it.
const memoryWatch = `
  const parent = process.ppid;
  setInterval(() => {
    const isTooMuch = process.memoryUsage.rss() > ${Number(maxMiB)} * 1024 * 1024;
    if (isTooMuch || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, 50);
`;
if (maxMiB !== undefined) new Worker(memoryWatch, { eval: true }).unref();

// Ctrl+C goes to the whole process group; the service then stops this process.
process.on('SIGINT', () => undefined);
process.on('message', async (file: File) => {
  process.send?.(await extractText(file));
});
