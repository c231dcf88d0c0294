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

/** Stops the time, once that is loaded which the first call of a process loads, and the first that is repeated. */
export async function warmUpAndFreezeTime(now?: number): Promise<void> {
  const replies = [new Response('', { status: 503, headers: { 'retry-after': '0' } }), json({ books: [] })];
  await shelf(async () => replies.shift()!).execute('books', 'list');
  freezeTime(now);
}
