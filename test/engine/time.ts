import { freezeTime } from '../../sandbox/src/testing/time.js';
import { json } from './fake-fetch.js';
import { shelf } from './shelf.js';

export {
  advanceUntilSettled,
  flushEventLoop,
  freezeTime,
  skipBackoff,
  waitUntil,
} from '../../sandbox/src/testing/time.js';

/** Stops the time, once that is loaded which the first call of a process loads. */
export async function warmUpAndFreezeTime(now?: number): Promise<void> {
  await shelf(async () => json({ books: [] })).execute('books', 'list');
  freezeTime(now);
}
