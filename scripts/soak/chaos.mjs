import { setTimeout as wait } from 'node:timers/promises';

/** Faults that a client should survive; each affects one request to a vendor. */
const kinds = [
  'rate_limited',
  'http_429',
  '500',
  '502',
  '503',
  '504',
  'reset_before',
  'reset_after',
  'truncated_body',
  'truncated_json',
  'slow_headers',
  'slow_body',
  'expired_token',
  'internal_error',
  'lock_timeout',
  'wrong_content_type',
  'empty_body',
];

/** Pseudorandom numbers between 0 and 1 for a seed (mulberry32). @param {number} seed */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Repeats an action until the time is up.
 *
 * @param {number} until @param {() => number} random @param {[number, number]} seconds between runs
 * @param {() => Promise<void>} strike
 */
async function repeatUntil(until, random, [least, most], action) {
  for (;;) {
    await wait(1000 * (least + random() * (most - least)));
    if (Date.now() >= until) return;
    await action();
  }
}

/**
 * Injects and counts faults until the time is up.
 *
 * @param {object} stage targets of the faults
 * @param {{ seed: number, until: number, killUntil: number, pace: number }} plan `pace` shortens the pauses
 * @param {Record<string, number>} counts
 */
export function injectFaults({ steer, service, disk, database }, { seed, until, killUntil, pace }, counts) {
  const count = (what) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const scalePace = ([least, most]) => /** @type {[number, number]} */ ([least * pace, most * pace]);
  const random = randomOf(seed);
  const of = (index) => randomOf(seed * 31 + index);
  const schedules = [
    repeatUntil(until, of(1), [0.2, 0.8], async () => {
      const kind = kinds[Math.floor(random() * kinds.length)];
      count(kind);
      await steer('POST', '/faults', { kind, ms: 100 + Math.floor(random() * 900), retryAfter: 1 });
    }),
    repeatUntil(until, of(2), scalePace([40, 90]), async () => {
      count('all tokens expired');
      await steer('POST', '/expire-tokens');
    }),
    repeatUntil(until, of(3), scalePace([60, 120]), async () => {
      // Less than the 30 minutes during which Linear still accepts a refresh token whose replacement was lost.
      count("the vendors' clock put forward by 20 minutes");
      await steer('POST', '/clock/advance', { ms: 1_200_000 });
    }),
    repeatUntil(killUntil, of(4), scalePace([40, 80]), async () => {
      count('service killed');
      await service.kill();
      while (!(await service.start())) await wait(500);
    }),
  ];
  if (disk.small) {
    schedules.push(
      repeatUntil(killUntil, of(5), scalePace([70, 130]), async () => {
        count('disk full for three seconds');
        disk.fill();
        await wait(3000);
        disk.free();
      }),
    );
  }
  if (database) {
    schedules.push(
      repeatUntil(until, of(6), scalePace([60, 110]), async () => {
        count('database away for two seconds');
        await database.away(2000);
      }),
    );
  }
  return Promise.all(schedules);
}
