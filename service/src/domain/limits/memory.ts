import { AsyncLocalStorage } from 'node:async_hooks';
import { ConnectorError } from 'agent-connectors';
import type { Limits } from './options.js';

/** Memory that one unit of work, such as a request or a job, holds for an organization. */
export interface Holding {
  /** Bytes reserved now. */
  readonly bytes: number;
  /** Reserves bytes, or throws `MemoryExhausted`. */
  reserve(bytes: number): void;
  /**
   * Reserves memory for bytes of a vendor's response once there is room; throws `rate_limited` if that takes too long.
   */
  receive(bytes: number): Promise<void>;
  /** Waits until the organization holds less than half of what it may; throws `rate_limited` if that takes too long. */
  begin(): Promise<void>;
  /** Replaces everything reserved so far by these bytes. */
  reset(bytes: number): void;
  release(): void;
}

/** Bytes that are held elsewhere on behalf of a holding, such as in a socket's buffer. */
export type OtherBytes = () => number;

/** A budget for everything that requests and jobs hold in memory, per organization and for the process. */
export interface MemoryBudget {
  /** Opens a holding of an account: an organization, or an address of unauthenticated requests. */
  open(account: string, others?: OtherBytes, onReceived?: (bytes: number) => void): Holding;
  /**
   * Reserves bytes that an organization holds between requests, for which it has half as much as for requests; throws
   * `rate_limited` if they do not fit. Returns a function that releases them.
   */
  keep(organization: string, bytes: number): () => void;
}

/** Thrown if bytes do not fit: in the account's part, or in the process. */
export class MemoryExhausted extends Error {
  readonly isOwn: boolean;

  constructor(isOwn: boolean) {
    super('The memory budget is exhausted.');
    this.isOwn = isOwn;
  }
}

/** Bytes in memory per byte of JSON while it is parsed, processed and written as a response. */
export const bytesPerJsonByte = 4;

/** Part of the process's budget that only accounts below their guaranteed part can use. */
const guaranteedQuarter = 0.25;
/** An account can always use this part of the process's budget, unless more accounts than that do so. */
const guaranteedPart = 1 / 16;
/** How long a response or a call waits for memory, in milliseconds. */
const maxMemoryWaitMs = 10_000;

interface Account {
  readonly max: number;
  readonly holdings: Set<object>;
  readonly others: Set<OtherBytes>;
  /** Reserved bytes of all holdings. */
  bytes: number;
  /** Holdings that wait for room, oldest first. */
  waiting: Array<() => boolean>;
  /** The only holding that can grow while the account holds more than half of what it may. */
  growing: object | undefined;
}

/** Opens the budget of a process. */
export function openMemoryBudget(limits: Pick<Limits, 'heldBytes' | 'heldBytesOfOrganization'>): MemoryBudget {
  const { heldBytes } = limits;
  const ofAccount = Math.min(limits.heldBytesOfOrganization, heldBytes);
  const accounts = new Map<string, Account>();

  let reserved = 0;

  const add = (account: Account, holding: { bytes: number }, bytes: number) => {
    holding.bytes += bytes;
    account.bytes += bytes;
    reserved += bytes;
  };
  const bytesOf = ({ bytes, others }: Account): number => {
    let sum = bytes;
    for (const other of others) sum += other();
    return sum;
  };
  const total = () => {
    let sum = 0;
    for (const account of accounts.values()) sum += bytesOf(account);
    return sum;
  };
  /** Whether bytes fit in any case, so that nothing has to be added up. */
  const isFew = (account: Account, bytes: number) =>
    account.bytes + bytes < account.max / 4 && reserved + bytes < heldBytes / 4;
  /** Why bytes do not fit; undefined if they do. */
  const obstacle = (account: Account, bytes: number): 'account' | 'process' | undefined => {
    const own = bytesOf(account) + bytes;
    if (own > account.max) return 'account';
    const isGuaranteed = own <= heldBytes * guaranteedPart;
    return total() + bytes <= heldBytes * (isGuaranteed ? 1 : 1 - guaranteedQuarter) ? undefined : 'process';
  };
  const wakeAll = () => {
    for (const account of accounts.values()) account.waiting = account.waiting.filter((isDone) => !isDone());
  };
  /** Resolves once `attempt` succeeds; those that have been waiting for longer are tried first. */
  const turn = (account: Account, attempt: () => boolean): Promise<void> | undefined => {
    if (attempt()) return undefined;
    return new Promise((resolve, reject) => {
      const isDone = () => {
        if (!attempt()) return false;
        clearTimeout(timer);
        resolve();
        return true;
      };
      const timer = setTimeout(() => {
        account.waiting = account.waiting.filter((waiting) => waiting !== isDone);
        reject(exhaustedError());
      }, maxMemoryWaitMs).unref();
      account.waiting.push(isDone);
    });
  };

  const open = (
    name: string,
    {
      others,
      onReceived,
      max = ofAccount,
    }: { others?: OtherBytes; onReceived?: (bytes: number) => void; max?: number },
  ): Holding => {
    const account: Account = accounts.get(name) ?? {
      max,
      holdings: new Set(),
      others: new Set(),
      bytes: 0,
      waiting: [],
      growing: undefined,
    };
    accounts.set(name, account);
    const holding = { bytes: 0 };
    account.holdings.add(holding);
    if (others) account.others.add(others);
    const isCrowded = (bytes: number) => bytesOf(account) + bytes > max / 2;
    const shrink = (bytes: number) => {
      add(account, holding, bytes - holding.bytes);
      if (account.growing === holding) account.growing = undefined;
    };
    return {
      get bytes() {
        return holding.bytes;
      },
      reserve(bytes) {
        const found = obstacle(account, bytes);
        if (found) throw new MemoryExhausted(found === 'account');
        add(account, holding, bytes);
      },
      async receive(received) {
        onReceived?.(received);
        const bytes = received * bytesPerJsonByte;
        if (holding.bytes + bytes > max) throw exhaustedError();
        await turn(account, () => {
          if (!account.holdings.has(holding)) return true;
          if (isFew(account, bytes)) {
            add(account, holding, bytes);
            return true;
          }
          // If all grew at once, none could finish.
          if (isCrowded(bytes) && (account.growing ?? holding) !== holding) return false;
          if (obstacle(account, bytes)) return false;
          if (isCrowded(bytes)) account.growing = holding;
          add(account, holding, bytes);
          return true;
        });
      },
      async begin() {
        await turn(account, () => isFew(account, 0) || (!isCrowded(0) && obstacle(account, 0) === undefined));
      },
      reset(bytes) {
        shrink(bytes);
        wakeAll();
      },
      release() {
        shrink(0);
        account.holdings.delete(holding);
        if (others) account.others.delete(others);
        wakeAll();
        if (account.holdings.size === 0 && accounts.get(name) === account) accounts.delete(name);
      },
    };
  };
  return {
    open: (name, others, onReceived) => open(name, { ...(others && { others }), ...(onReceived && { onReceived }) }),
    keep(organization, bytes) {
      const holding = open(`kept ${organization}`, { max: ofAccount / 2 });
      try {
        holding.reserve(bytes);
        return holding.release;
      } catch (error) {
        holding.release();
        throw error instanceof MemoryExhausted ? exhaustedError('sessions and files') : error;
      }
    },
  };
}

/** Not retried by the connector, because reading the response again would not be cheaper. */
const exhaustedError = (where = 'calls or unread responses') =>
  new ConnectorError('rate_limited', `This organization holds too many bytes in memory, in ${where}.`, {
    retryable: false,
    retryAfterMs: 1000,
    hint: 'Request fewer records per page or fewer fields, make fewer calls at once, or read responses faster.',
  });

const holdings = new AsyncLocalStorage<() => Holding | undefined>();

/** Runs work whose vendor responses count as memory of a holding, which may not be known yet. */
export const runHolding = <T>(holding: () => Holding | undefined, work: () => T): T => holdings.run(holding, work);

/** The holding of the current work, if any. */
export const currentHolding = (): Holding | undefined => holdings.getStore()?.();

/** Runs work that is not part of a request, in a holding of its own. */
export async function withHolding<T>(budget: MemoryBudget, account: string, work: () => Promise<T>): Promise<T> {
  const holding = budget.open(account);
  return runHolding(() => holding, work).finally(holding.release);
}
