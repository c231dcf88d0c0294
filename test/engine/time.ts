import { stopTime } from '../../sandbox/src/testing/time.js';
import { shelf } from './shelf.js';
import { json } from './wire.js';

export { passing, settling, stopTime, until } from '../../sandbox/src/testing/time.js';

/** Stops the time, once that is loaded which the first call of a process loads. */
export async function still(now?: number): Promise<void> {
  await shelf(async () => json({ books: [] })).execute('books', 'list');
  stopTime(now);
}
