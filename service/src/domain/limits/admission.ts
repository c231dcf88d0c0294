import type { ServerResponse } from 'node:http';
import { fieldError, refusal } from '../refusal.js';
import type { Limits } from './options.js';

/** One request from its arrival until its answer has been taken. */
export interface Visit {
  /** Lets in a request of this client, once, or refuses it. */
  client(clientId: string): void;
  /** Lets in a request that carries no token, once, or refuses it. */
  stranger(): void;
  /** Counts what is held down more than other requests, in somebody's name, or refuses it. */
  attempt(name: string): void;
  /** Holds so many bytes more of the request's body in memory, or refuses to. */
  hold(bytes: number): void;
  /** Counts the answer as a stream from now on, or refuses to. */
  stream(): void;
  /** What the caller is told of its bucket. */
  headers(): Readonly<Record<string, string>>;
  leave(): void;
}

/** Lets requests in. */
export interface Admission {
  arrive(address: string | undefined, outgoing: ServerResponse | undefined): Visit;
}

/** Those of one client, or of one address without a token. */
interface Party {
  readonly present: Set<Present>;
  streams: number;
}

/** What one request takes up. */
interface Present {
  bytes: number;
  readonly outgoing: ServerResponse | undefined;
}

/** At one address there may be several programs, each with a name of its own. */
const namesAtAddress = 4;
const partOfClient = 4;
const againMs = 1000;

/** Keeps account of all requests that are under way. */
export function openAdmission(limits: Limits, now: () => number): Admission {
  const clients = openBuckets(limits.rate, limits.burst, now);
  const perSecond = limits.signIns / 60;
  const names = openBuckets(perSecond, limits.signIns, now);
  const addresses = openBuckets(perSecond * namesAtAddress, limits.signIns * namesAtAddress, now);
  const parties = new Map<string, Party>();
  const all = new Set<Present>();
  let streams = 0;

  const arrive: Admission['arrive'] = (address = 'unknown', outgoing) => {
    const own: Present = { bytes: 0, outgoing };
    let name = '';
    let party: Party | undefined;
    let told: Taken | undefined;
    let isStream = false;

    const paid = (taken: Taken, what: string) => {
      told = taken;
      if (!taken.allowed) throw tooMany(`Too many ${what} in this time.`, taken.waitMs);
    };
    const enter = (key: string) => {
      name = key;
      party = parties.get(key) ?? { present: new Set(), streams: 0 };
      if (party.present.size - party.streams >= limits.atOnceOfClient) {
        throw tooMany(`${limits.atOnceOfClient} requests of this client are being answered already.`, againMs);
      }
      if (all.size - streams >= limits.atOnce) throw busy('It answers as many requests as it can.');
      checkHeld(party);
      parties.set(key, party);
      party.present.add(own);
      all.add(own);
    };
    const checkHeld = ({ present }: Party) => {
      if (heldBy(present) > limits.heldBytes / partOfClient) {
        throw tooMany('Too many bytes of this client are on their way, in requests or in untaken answers.', againMs);
      }
      if (heldBy(all) > limits.heldBytes) throw busy('It holds as many bytes as it can.');
    };
    return {
      client(clientId) {
        if (party) return;
        paid(clients.take(clientId), 'requests of this client');
        enter(`client ${clientId}`);
      },
      stranger() {
        if (party) return;
        paid(addresses.take(address), 'attempts from this address');
        enter(`address ${address}`);
      },
      // Names are anybody's words: only together with an address can they be held against whoever says them.
      attempt: (claimed) => paid(names.take(`${address} ${claimed}`), 'attempts in this name'),
      hold(bytes) {
        own.bytes += bytes;
        if (party) checkHeld(party);
      },
      stream() {
        if (!party || isStream) return;
        if (party.streams >= limits.streams) {
          throw tooMany(`${limits.streams} streams of this client are open already.`, againMs);
        }
        party.streams += 1;
        streams += 1;
        isStream = true;
      },
      headers: () => (told && told.resetMs > 0 ? headersOf(told) : {}),
      leave() {
        all.delete(own);
        if (!party?.present.delete(own)) return;
        if (isStream) {
          party.streams -= 1;
          streams -= 1;
        }
        if (party.present.size === 0) parties.delete(name);
      },
    };
  };
  return { arrive };
}

/** Bytes of bodies, and of answers that their callers have not taken. */
function heldBy(present: ReadonlySet<Present>): number {
  let held = 0;
  for (const { bytes, outgoing } of present) held += bytes + (outgoing?.writableLength ?? 0);
  return held;
}

const headersOf = ({ limit, remaining, resetMs }: Taken) => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(Math.ceil(resetMs / 1000)),
});

/** Marks refusals before which nothing was done, so that even a write may be sent again. */
const notBegun = (message: string) => ({ errors: [fieldError('', message, 'not_begun')], retryable: true });

const tooMany = (message: string, retryAfterMs: number) =>
  refusal(429, 'rate_limited', message, { ...notBegun('was not begun'), retryAfterMs });

/** A refusal by a service that is too busy, or is being stopped. */
export const busy = (message: string) =>
  refusal(503, 'network', `The service cannot take this request now. ${message}`, {
    ...notBegun('was not begun'),
    retryAfterMs: againMs,
  });

/** What a bucket had for one who asked. */
export interface Taken {
  readonly allowed: boolean;
  /** What the bucket holds when it is full. */
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until it is full again. */
  readonly resetMs: number;
  /** Milliseconds until there is something for one who was refused. */
  readonly waitMs: number;
}

/** Buckets that fill steadily, one for each name. */
export interface Buckets {
  take(name: string): Taken;
}

interface Bucket {
  tokens: number;
  /** Turns that were promised to those who were refused, and have not come yet. */
  promised: number;
  at: number;
}

/** The one used longest ago goes when there are more. */
const mostBuckets = 10_000;
/** Nobody is told to wait longer; by then all has changed. */
const longestWaitMs = 20_000;

/** Makes buckets that hold `burst`, and are filled by `rate` a second; a rate of 0 allows everything. */
function openBuckets(rate: number, burst: number, now: () => number): Buckets {
  const kept = new Map<string, Bucket>();

  const filled = (name: string): Bucket => {
    const at = now();
    const bucket = kept.get(name) ?? { tokens: burst, promised: 0, at };
    const passed = (Math.max(0, at - bucket.at) / 1000) * rate;
    bucket.tokens = Math.min(burst, bucket.tokens + passed);
    bucket.promised = Math.max(0, bucket.promised - passed);
    bucket.at = at;
    kept.delete(name);
    kept.set(name, bucket);
    if (kept.size > mostBuckets) kept.delete(kept.keys().next().value!);
    return bucket;
  };
  return {
    take(name) {
      if (rate === 0) return { allowed: true, limit: burst, remaining: burst, resetMs: 0, waitMs: 0 };
      const bucket = filled(name);
      const allowed = bucket.tokens >= 1;
      let waitMs = 0;
      if (allowed) bucket.tokens -= 1;
      else {
        // Each is told another moment, so that those who wait do not come back all at once.
        waitMs = Math.min(longestWaitMs, ((1 - bucket.tokens + bucket.promised) / rate) * 1000);
        bucket.promised = Math.min(bucket.promised + 1, (longestWaitMs / 1000) * rate);
      }
      return {
        allowed,
        limit: burst,
        remaining: Math.floor(bucket.tokens),
        resetMs: ((burst - bucket.tokens) / rate) * 1000,
        waitMs: Math.ceil(waitMs),
      };
    },
  };
}
