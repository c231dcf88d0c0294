import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fieldError, httpError } from '../http-error.js';
import { networkOf } from './addresses.js';
import { type Holding, type MemoryBudget, MemoryExhausted } from './memory.js';
import type { Limits } from './options.js';

/** Admission of one request, from its arrival until its response is sent. */
export interface RequestAdmission {
  /** Admits a client's request for an organization, once, or rejects it. */
  admitClient(clientId: string, organizationId: string): Promise<void>;
  /** Counts further calls in the same request against the client's rate limit, or rejects them. */
  countCalls(clientId: string, count: number): Promise<void>;
  /** Admits an unauthenticated request, once, or rejects it. */
  admitAnonymous(): Promise<void>;
  /** Admits a request that presents a secret, once and without a rate limit; `countWrongSecret` limits incorrect ones. */
  admitSignIn(): Promise<void>;
  /** Counts an attempt for a name against that name's stricter limit, or rejects it. */
  countAttempt(name: string): Promise<void>;
  /** Counts an incorrect secret, or rejects it if there were too many for this name or from this address. */
  countWrongSecret(name: string): Promise<void>;
  /** Counts a request without a valid token, or rejects it if there were too many from this address. */
  countInvalidToken(): Promise<void>;
  /** Counts bytes of bodies and vendors' responses against the client's rate limit, without rejecting the request. */
  countBytes(bytes: number): void;
  /** Reserves memory, or rejects the request. */
  reserveBytes(bytes: number): void;
  /**
   * Waits until no other large body of the same organization or address is being processed. The turn lasts until the
   * request ends or, because it may be waiting for a vendor, for a millisecond per 4 KiB, at most a quarter of a second.
   */
  takeTurn(bytes: number): Promise<void>;
  /** What the request holds in memory; undefined until it is admitted. */
  readonly memory: Holding | undefined;
  /** Counts the response as a stream from now on, or rejects it. */
  admitStream(): void;
  /** Rate limit headers for the caller. */
  headers(): Readonly<Record<string, string>>;
  release(): void;
}

export interface Admission {
  trackRequest(address: string | undefined, outgoing: ServerResponse | undefined): RequestAdmission;
}

/** Load from one client, or from one address if there is no token. */
interface ClientLoad {
  requests: number;
  streams: number;
}

/** Factor by which limits per address exceed those per name, since several programs may share an address. */
const namesPerAddress = 4;
const defaultRetryMs = 1000;
/** How long other large bodies of an account wait for one that is being processed, in milliseconds. */
const maxTurnMs = 250;
const bytesPerTurnMs = 4_096;
/** Requests of an account that start in one turn of the event loop, so that a burst leaves turns to others. */
const maxStartsPerTurn = 4;

/** Tracks all requests in progress. */
export function openAdmission(limits: Limits, openBuckets: OpenBuckets, budget: MemoryBudget): Admission {
  const clients = openBuckets('client', limits.rate, limits.burst);
  const perSecond = limits.signIns / 60;
  const names = openBuckets('name', perSecond, limits.signIns);
  const addresses = openBuckets('address', perSecond * namesPerAddress, limits.signIns * namesPerAddress);
  const loads = new Map<string, ClientLoad>();
  /** The end of the last turn of each account. */
  const turns = new Map<string, Promise<void>>();
  const starts = new Map<string, number>();
  let requests = 0;
  let streams = 0;

  const start = async (account: string) => {
    while ((starts.get(account) ?? 0) >= maxStartsPerTurn) await nextTurn();
    if (starts.size === 0) setImmediate(() => starts.clear());
    starts.set(account, (starts.get(account) ?? 0) + 1);
  };
  const trackRequest: Admission['trackRequest'] = (from = 'unknown', outgoing) => {
    // Computed only for unauthenticated requests.
    const network = () => networkOf(from);
    let name = '';
    let accountName = '';
    let endTurn = () => {};
    let clientLoad: ClientLoad | undefined;
    let holding: Holding | undefined;
    let clientName: string | undefined;
    let countedBytes = 0;
    let bucketState: BucketState | undefined;
    let addressState: BucketState | undefined;
    let isStream = false;

    const charge = (state: BucketState, what: string) => {
      bucketState = state;
      if (!state.allowed) throw tooManyError(`Too many ${what}.`, state.waitMs);
    };
    const register = async (key: string, account = key) => {
      name = key;
      accountName = account;
      const load = loads.get(key) ?? { requests: 0, streams: 0 };
      if (load.requests - load.streams >= limits.atOnceOfClient) {
        throw tooManyError(
          `${limits.atOnceOfClient} requests from this client are already in progress.`,
          defaultRetryMs,
        );
      }
      if (requests - streams >= limits.atOnce) throw busyError('It has reached its limit of concurrent requests.');
      holding = budget.open(account, () => outgoing?.writableLength ?? 0, countBytes);
      clientLoad = load;
      loads.set(key, load);
      load.requests += 1;
      requests += 1;
      reserveBytes(0);
      await start(account);
    };
    const countBytes = (bytes: number) => {
      const before = Math.floor(countedBytes / limits.bytesPerRequest);
      countedBytes += bytes;
      const tokens = Math.floor(countedBytes / limits.bytesPerRequest) - before;
      if (clientName !== undefined && tokens > 0) clients.owe(clientName, tokens);
    };
    const reserveBytes = (bytes: number) => {
      try {
        holding?.reserve(bytes);
      } catch (error) {
        if (!(error instanceof MemoryExhausted)) throw error;
        if (!error.isOwn) throw busyError('It has reached its memory limit.');
        throw tooManyError(
          'This organization holds too many bytes in memory, in calls or unread responses.',
          defaultRetryMs,
        );
      }
    };
    return {
      async admitClient(clientId, organizationId) {
        if (clientLoad) return;
        charge(await clients.take(clientId), 'requests from this client');
        clientName = clientId;
        await register(`client ${clientId}`, organizationId);
      },
      async countCalls(clientId, count) {
        for (let call = 0; call < count; call++) charge(await clients.take(clientId), 'requests from this client');
      },
      async admitAnonymous() {
        if (clientLoad) return;
        const address = network();
        charge(await addresses.take(address), 'attempts from this address');
        await register(`address ${address}`);
      },
      async admitSignIn() {
        if (clientLoad) return;
        const address = network();
        addressState = await addresses.take(address);
        await register(`address ${address}`);
      },
      async countWrongSecret(claimed) {
        if (addressState) charge(addressState, 'attempts from this address');
        charge(await names.take(`wrong ${network()} ${claimed}`), 'attempts under this name');
      },
      // Anyone can claim a name, so it is counted only together with the address.
      countAttempt: async (claimed) => charge(await names.take(`${network()} ${claimed}`), 'attempts under this name'),
      // Apart from sign-ins, which a program with an expired token must not hold up.
      countInvalidToken: async () =>
        charge(await addresses.take(`token ${network()}`), 'requests without a valid token from this address'),
      countBytes,
      reserveBytes,
      async takeTurn(bytes) {
        const before = turns.get(accountName);
        const turn = new Promise<void>((resolve) => {
          endTurn = resolve;
        });
        const ended = Promise.resolve(before).then(() => turn);
        turns.set(accountName, ended);
        void ended.then(() => turns.get(accountName) === ended && turns.delete(accountName));
        await before;
        setTimeout(endTurn, Math.min(maxTurnMs, bytes / bytesPerTurnMs)).unref();
      },
      get memory() {
        return holding;
      },
      admitStream() {
        if (!clientLoad || isStream) return;
        if (clientLoad.streams >= limits.streams) {
          throw tooManyError(`${limits.streams} streams are already open for this client.`, defaultRetryMs);
        }
        clientLoad.streams += 1;
        streams += 1;
        isStream = true;
      },
      headers: () => (bucketState && bucketState.resetMs > 0 ? headersOf(bucketState) : {}),
      release() {
        endTurn();
        holding?.release();
        if (!clientLoad) return;
        clientLoad.requests -= 1;
        requests -= 1;
        if (isStream) {
          clientLoad.streams -= 1;
          streams -= 1;
        }
        if (clientLoad.requests === 0) loads.delete(name);
        clientLoad = undefined;
      },
    };
  };
  return { trackRequest };
}

const headersOf = ({ limit, remaining, resetMs }: BucketState) => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(Math.ceil(resetMs / 1000)),
});

/** Marks rejections that happen before any work is done, so even a write can be retried. */
const notStarted = (message: string) => ({ errors: [fieldError('', message, 'not_begun')], retryable: true });

const tooManyError = (message: string, retryAfterMs: number) =>
  httpError(429, 'rate_limited', message, { ...notStarted('was not started'), retryAfterMs });

/** Rejection by an overloaded or stopping service. */
export const busyError = (message: string) =>
  httpError(503, 'network', `The service cannot handle this request now. ${message}`, {
    ...notStarted('was not started'),
    retryAfterMs: defaultRetryMs,
  });

/** State of a bucket after a request. */
export interface BucketState {
  readonly allowed: boolean;
  /** Capacity of the bucket. */
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until it is full again. */
  readonly resetMs: number;
  /** Milliseconds until a retry can succeed. */
  readonly waitMs: number;
}

/** Token buckets by name. */
export interface Buckets {
  /** Takes a token if one is available. */
  take(name: string): BucketState | Promise<BucketState>;
  /** Takes tokens that later ones have to wait for, up to the capacity of the bucket. */
  owe(name: string, tokens: number): void;
}

/** Creates buckets with capacity `burst` and `rate` tokens per second; a rate of 0 means no limit. */
export type OpenBuckets = (kind: string, rate: number, burst: number) => Buckets;

/** Cache size; the least recently used bucket is evicted. */
const maxBuckets = 10_000;
/** Maximum delay to advertise, because conditions change. */
const maxWaitMs = 20_000;

/** State of an unlimited bucket. */
export const unlimited = (burst: number): BucketState => ({
  allowed: true,
  limit: burst,
  remaining: burst,
  resetMs: 0,
  waitMs: 0,
});

/** Spreads the retry times of rejected requests so that they do not all return at the same time. */
export class Turns {
  /** Number of retry times already handed out that have not been reached. */
  #promised = 0;

  /** Call this once some of these retry times have been reached. */
  pass(count: number): void {
    this.#promised = Math.max(0, this.#promised - count);
  }

  /** Milliseconds to wait if the first turn is due after `tokens` tokens. */
  promise(tokens: number, rate: number): number {
    const waitMs = Math.min(maxWaitMs, ((tokens + this.#promised) / rate) * 1000);
    this.#promised = Math.min(this.#promised + 1, (maxWaitMs / 1000) * rate);
    return Math.ceil(waitMs);
  }
}

/** Gets or creates an entry of an LRU map and marks it as used; the oldest entry is evicted when there are too many. */
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

/** Buckets local to this process. */
export const ownBuckets =
  (now: () => number): OpenBuckets =>
  (_, rate, burst) => {
    const buckets = new Map<string, Bucket>();
    const refilledBucket = (name: string): Bucket => {
      const at = now();
      const bucket = used(buckets, name, () => ({ tokens: burst, at, turns: new Turns() }));
      const refilled = (Math.max(0, at - bucket.at) / 1000) * rate;
      bucket.tokens = Math.min(burst, bucket.tokens + refilled);
      bucket.turns.pass(refilled);
      bucket.at = at;
      return bucket;
    };
    return {
      owe(name, tokens) {
        if (rate === 0) return;
        const bucket = refilledBucket(name);
        bucket.tokens = Math.max(-burst, bucket.tokens - tokens);
      },
      take(name) {
        if (rate === 0) return unlimited(burst);
        const bucket = refilledBucket(name);
        const allowed = bucket.tokens >= 1;
        const waitMs = allowed ? 0 : bucket.turns.promise(1 - bucket.tokens, rate);
        if (allowed) bucket.tokens -= 1;
        return {
          allowed,
          limit: burst,
          remaining: Math.max(0, Math.floor(bucket.tokens)),
          waitMs,
          resetMs: ((burst - bucket.tokens) / rate) * 1000,
        };
      },
    };
  };
