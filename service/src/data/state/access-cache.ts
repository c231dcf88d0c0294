import type { Database } from './database.js';

/** How long after a successful poll cached rows may be used, in milliseconds. */
const maxAgeMs = 500;
/** Maximum number of cached rows, and of bytes, as measured by their JSON. */
const maxRows = 10_000;
const maxBytes = 32 * 1024 * 1024;

/** A row, available without waiting if it is cached. */
export type Cached<Row> = Row | undefined | Promise<Row | undefined>;

interface CachedRow {
  readonly row: object;
  readonly bytes: number;
}

/**
 * Rows behind access, valid as long as the revision is unchanged; see `0004-access-revision.ts`.
 *
 * They are used only if the revision was polled within the last half second, by the monotonic clock and by `now`.
 * Otherwise, the request polls first, so that neither a change in another process nor a pause of this one goes
 * unnoticed. Without the database, it fails. A row that was not found is never cached.
 */
export class AccessCache {
  readonly #database: Database;
  readonly #now: () => number;
  #revision: number | undefined;
  #polledAt = { monotonic: Number.NEGATIVE_INFINITY, now: 0 };
  #polling: Promise<void> | undefined;
  #polls = 0;
  // Replaced when the revision has changed, so that a row loaded before is not stored afterwards.
  #rows = new Map<string, CachedRow>();
  #loading = new Map<string, Promise<object | undefined>>();
  #bytes = 0;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** The row with this key: from the cache if it is there and `isUsable` accepts it, and otherwise from `load`. */
  read<Row extends object>(
    key: string,
    load: () => Promise<Row | undefined>,
    isUsable: (row: Row) => boolean = () => true,
  ): Cached<Row> {
    // A transaction sees its own uncommitted changes.
    if (this.#database.inTransaction) return load();
    const find = () => {
      const row = this.#rows.get(key)?.row as Row | undefined;
      return row && isUsable(row) ? row : this.#load(key, load);
    };
    return this.#isCurrent() ? find() : this.#poll().then(find);
  }

  /** A row with a list of others. It is loaded after each poll, since new rows do not raise the revision. */
  async readList<Row extends object>(key: string, load: () => Promise<Row | undefined>): Promise<Row | undefined> {
    const loadSincePoll = async () => {
      const poll = this.#polls;
      const row = await load();
      return row && { poll, row };
    };
    return (await this.read(key, loadSincePoll, ({ poll }) => poll === this.#polls))?.row;
  }

  /** The revision, polled as before a use of cached rows. */
  async revision(): Promise<number> {
    if (!this.#isCurrent()) await this.#poll();
    return this.#revision ?? 0;
  }

  /** Makes the next request poll: call after this process has changed rows. */
  expire(): void {
    this.#polledAt.monotonic = Number.NEGATIVE_INFINITY;
    // One in progress may have read the revision before the change.
    this.#polling = undefined;
  }

  #isCurrent(): boolean {
    const { monotonic, now } = this.#polledAt;
    return performance.now() - monotonic <= maxAgeMs && Math.abs(this.#now() - now) <= maxAgeMs;
  }

  /** Reads the revision once for all requests that wait for it. */
  #poll(): Promise<void> {
    if (this.#polling) return this.#polling;
    const startedAt = { monotonic: performance.now(), now: this.#now() };
    const run = async () => {
      try {
        const revision = await this.#readRevision();
        if (revision !== this.#revision) this.#drop();
        this.#revision = revision;
        this.#polls += 1;
        this.#loading = new Map();
        // Unless it has expired in the meantime.
        if (this.#polling === polling) this.#polledAt = startedAt;
      } finally {
        if (this.#polling === polling) this.#polling = undefined;
      }
    };
    const polling = run();
    this.#polling = polling;
    return polling;
  }

  async #readRevision(): Promise<number> {
    const found = this.#database.query.selectFrom('access_revision').select('value').where('id', '=', 1);
    return (await found.executeTakeFirst())?.value ?? 0;
  }

  /** Loads a row once for all requests that wait for it. */
  #load<Row extends object>(key: string, load: () => Promise<Row | undefined>): Promise<Row | undefined> {
    const [rows, inProgress] = [this.#rows, this.#loading];
    const existing = inProgress.get(key);
    if (existing) return existing as Promise<Row | undefined>;
    const run = async () => {
      try {
        const row = await load();
        if (row && this.#rows === rows) this.#store(key, row);
        return row;
      } finally {
        inProgress.delete(key);
      }
    };
    const loading = run();
    inProgress.set(key, loading);
    return loading;
  }

  #store(key: string, row: object): void {
    const bytes = 2 * (key.length + JSON.stringify(row).length);
    this.#remove(key);
    // Requests share it.
    this.#rows.set(key, { row: freezeDeep(row), bytes });
    this.#bytes += bytes;
    while (this.#rows.size > maxRows || this.#bytes > maxBytes) this.#remove(this.#rows.keys().next().value!);
  }

  #remove(key: string): void {
    this.#bytes -= this.#rows.get(key)?.bytes ?? 0;
    this.#rows.delete(key);
  }

  #drop(): void {
    this.#rows = new Map();
    this.#loading = new Map();
    this.#bytes = 0;
  }
}

function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const item of Object.values(value)) freezeDeep(item);
  return Object.freeze(value);
}

type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Names of functions that only read. */
const reads = new Set(['all', 'get', 'find', 'list', 'existing', 'applicableTo']);

/** Wraps functions that may change rows behind access: afterwards, this process polls before it uses cached rows. */
export const expiring = <Part>(cache: AccessCache, part: Part): Part =>
  Object.fromEntries(
    Object.entries(part as Methods).map(([name, run]) => [
      name,
      reads.has(name)
        ? run
        : async (...args: never[]) => {
            try {
              return await run(...args);
            } finally {
              cache.expire();
            }
          },
    ]),
  ) as Part;
