import type { ServerResponse } from 'node:http';
import { fieldError, httpError } from '../http-error.js';
import { networkOf } from './addresses.js';
import type { Limits } from './options.js';

/** One request from its arrival until its answer has been taken. */
export interface RequestAdmission {
  /** Lets in a request of this client, once, or refuses it. */
  admitClient(clientId: string): Promise<void>;
  /** Lets in a request that carries no token, once, or refuses it. */
  admitAnonymous(): Promise<void>;
  /** Lets in a request that shows a secret, once, however many have come; `countWrongSecret` refuses those that are wrong. */
  admitSignIn(): Promise<void>;
  /** Counts what is held down more than other requests, in somebody's name, or refuses it. */
  countAttempt(name: string): Promise<void>;
  /** Counts a wrong secret, or refuses it where there were too many: with this name, or from the address. */
  countWrongSecret(name: string): Promise<void>;
  /** Holds so many bytes more of the request's body in memory, or refuses to. */
  reserveBytes(bytes: number): void;
  /** Counts the answer as a stream from now on, or refuses to. */
  admitStream(): void;
  /** What the caller is told of its bucket. */
  headers(): Readonly<Record<string, string>>;
  release(): void;
}

/** Lets requests in. */
export interface Admission {
  trackRequest(address: string | undefined, outgoing: ServerResponse | undefined): RequestAdmission;
}

/** Those of one client, or of one address without a token. */
interface ClientLoad {
  readonly requests: Set<RequestLoad>;
  streams: number;
}

/** What one request takes up. */
interface RequestLoad {
  bytes: number;
  readonly outgoing: ServerResponse | undefined;
}

/** At one address there may be several programs, each with a name of its own. */
const namesPerAddress = 4;
const clientShare = 4;
const defaultRetryMs = 1000;

/** Keeps account of all requests that are under way. */
export function openAdmission(limits: Limits, openBuckets: OpenBuckets): Admission {
  const clients = openBuckets('client', limits.rate, limits.burst);
  const perSecond = limits.signIns / 60;
  const names = openBuckets('name', perSecond, limits.signIns);
  const addresses = openBuckets('address', perSecond * namesPerAddress, limits.signIns * namesPerAddress);
  const loads = new Map<string, ClientLoad>();
  const all = new Set<RequestLoad>();
  let streams = 0;

  const trackRequest: Admission['trackRequest'] = (from = 'unknown', outgoing) => {
    // Of whoever shows a token it is not asked.
    const network = () => networkOf(from);
    const requestLoad: RequestLoad = { bytes: 0, outgoing };
    let name = '';
    let clientLoad: ClientLoad | undefined;
    let bucketState: BucketState | undefined;
    let addressState: BucketState | undefined;
    let isStream = false;

    const charge = (state: BucketState, what: string) => {
      bucketState = state;
      if (!state.allowed) throw tooManyError(`Too many ${what}.`, state.waitMs);
    };
    const register = (key: string) => {
      name = key;
      clientLoad = loads.get(key) ?? { requests: new Set(), streams: 0 };
      if (clientLoad.requests.size - clientLoad.streams >= limits.atOnceOfClient) {
        throw tooManyError(`${limits.atOnceOfClient} requests of this client are already in progress.`, defaultRetryMs);
      }
      if (all.size - streams >= limits.atOnce) throw busyError('It is at its limit of concurrent requests.');
      checkBytes(clientLoad);
      loads.set(key, clientLoad);
      clientLoad.requests.add(requestLoad);
      all.add(requestLoad);
    };
    const checkBytes = ({ requests }: ClientLoad) => {
      if (pendingBytes(requests) > limits.heldBytes / clientShare) {
        throw tooManyError(
          'Too many bytes of this client are in flight, in requests or unread responses.',
          defaultRetryMs,
        );
      }
      if (pendingBytes(all) > limits.heldBytes) throw busyError('It is at its memory limit.');
    };
    return {
      async admitClient(clientId) {
        if (clientLoad) return;
        charge(await clients.take(clientId), 'requests of this client');
        register(`client ${clientId}`);
      },
      async admitAnonymous() {
        if (clientLoad) return;
        const address = network();
        charge(await addresses.take(address), 'attempts from this address');
        register(`address ${address}`);
      },
      async admitSignIn() {
        if (clientLoad) return;
        const address = network();
        addressState = await addresses.take(address);
        register(`address ${address}`);
      },
      async countWrongSecret(claimed) {
        if (addressState) charge(addressState, 'attempts from this address');
        charge(await names.take(`wrong ${network()} ${claimed}`), 'attempts in this name');
      },
      // Names are anybody's words: only together with an address can they be held against whoever says them.
      countAttempt: async (claimed) => charge(await names.take(`${network()} ${claimed}`), 'attempts in this name'),
      reserveBytes(bytes) {
        requestLoad.bytes += bytes;
        if (clientLoad) checkBytes(clientLoad);
      },
      admitStream() {
        if (!clientLoad || isStream) return;
        if (clientLoad.streams >= limits.streams) {
          throw tooManyError(`${limits.streams} streams of this client are already open.`, defaultRetryMs);
        }
        clientLoad.streams += 1;
        streams += 1;
        isStream = true;
      },
      headers: () => (bucketState && bucketState.resetMs > 0 ? headersOf(bucketState) : {}),
      release() {
        all.delete(requestLoad);
        if (!clientLoad?.requests.delete(requestLoad)) return;
        if (isStream) {
          clientLoad.streams -= 1;
          streams -= 1;
        }
        if (clientLoad.requests.size === 0) loads.delete(name);
      },
    };
  };
  return { trackRequest };
}

/** Bytes of bodies, and of answers that their callers have not taken. */
function pendingBytes(requests: ReadonlySet<RequestLoad>): number {
  let total = 0;
  for (const { bytes, outgoing } of requests) total += bytes + (outgoing?.writableLength ?? 0);
  return total;
}

const headersOf = ({ limit, remaining, resetMs }: BucketState) => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(Math.ceil(resetMs / 1000)),
});

/** Marks refusals before which nothing was done, so that even a write may be sent again. */
const notStarted = (message: string) => ({ errors: [fieldError('', message, 'not_begun')], retryable: true });

const tooManyError = (message: string, retryAfterMs: number) =>
  httpError(429, 'rate_limited', message, { ...notStarted('was not begun'), retryAfterMs });

/** A refusal by a service that is too busy, or is being stopped. */
export const busyError = (message: string) =>
  httpError(503, 'network', `The service cannot take this request now. ${message}`, {
    ...notStarted('was not begun'),
    retryAfterMs: defaultRetryMs,
  });

/** What a bucket had for one who asked. */
export interface BucketState {
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
  /** Takes a token of a bucket, if it has one. */
  take(name: string): BucketState | Promise<BucketState>;
}

/** Makes buckets of a kind that hold `burst`, and are filled by `rate` a second; a rate of 0 allows everything. */
export type OpenBuckets = (kind: string, rate: number, burst: number) => Buckets;

/** The one used longest ago goes when there are more. */
const maxBuckets = 10_000;
/** Nobody is told to wait longer; by then all has changed. */
const maxWaitMs = 20_000;

/** What a bucket says that allows everything. */
export const unlimited = (burst: number): BucketState => ({
  ...{ allowed: true, limit: burst, remaining: burst, resetMs: 0, waitMs: 0 },
});

/** Tells each of those who are refused another moment, so that they do not come back all at once. */
export class Turns {
  /** Turns that were promised and have not come yet. */
  #promised = 0;

  /** Some have come. */
  pass(count: number): void {
    this.#promised = Math.max(0, this.#promised - count);
  }

  /** Milliseconds to wait where the first turn comes in so many tokens' time. */
  promise(tokens: number, rate: number): number {
    const waitMs = Math.min(maxWaitMs, ((tokens + this.#promised) / rate) * 1000);
    this.#promised = Math.min(this.#promised + 1, (maxWaitMs / 1000) * rate);
    return Math.ceil(waitMs);
  }
}

/** What a map has under a name, which becomes the one used last; the one used longest ago goes when there are too many. */
export function used<T>(map: Map<string, T>, name: string, make: () => T): T {
  const value = map.get(name) ?? make();
  map.delete(name);
  map.set(name, value);
  if (map.size > maxBuckets) map.delete(map.keys().next().value!);
  return value;
}

interface Bucket {
  tokens: number;
  at: number;
  readonly turns: Turns;
}

/** Buckets of this process alone. */
export const ownBuckets =
  (now: () => number): OpenBuckets =>
  (_, rate, burst) => {
    const buckets = new Map<string, Bucket>();
    return {
      take(name) {
        if (rate === 0) return unlimited(burst);
        const at = now();
        const bucket = used(buckets, name, () => ({ tokens: burst, at, turns: new Turns() }));
        const refilled = (Math.max(0, at - bucket.at) / 1000) * rate;
        bucket.tokens = Math.min(burst, bucket.tokens + refilled);
        bucket.turns.pass(refilled);
        bucket.at = at;
        const allowed = bucket.tokens >= 1;
        const waitMs = allowed ? 0 : bucket.turns.promise(1 - bucket.tokens, rate);
        if (allowed) bucket.tokens -= 1;
        return {
          ...{ allowed, limit: burst, remaining: Math.floor(bucket.tokens), waitMs },
          resetMs: ((burst - bucket.tokens) / rate) * 1000,
        };
      },
    };
  };
