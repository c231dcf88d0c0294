import type { ServerResponse } from 'node:http';
import { fieldError, refusal } from '../refusal.js';
import { openBuckets, type Taken } from './buckets.js';
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
