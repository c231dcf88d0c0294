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

/** Freezes time, after loading the modules that a process loads for its first call and its first retry. */
export async function warmUpAndFreezeTime(now?: number): Promise<void> {
  const replies = [new Response('', { status: 503, headers: { 'retry-after': '0' } }), json({ books: [] })];
  await shelf(async () => replies.shift()!).execute('books', 'list');
  freezeTime(now);
}
