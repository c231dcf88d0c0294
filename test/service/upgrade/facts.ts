import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';

/** Decrypts the fixtures, and is used for nothing else. */
export const fixtureKey = Buffer.alloc(32, 7).toString('base64');

/** Start time of the fixtures' sandbox; its data is dated around this time. */
export const startTime = Date.UTC(2026, 4, 4, 12);

/** Public URL of the fixtures' service. */
export const publicUrl = 'http://service.test';

/** A client of a fixture. */
export interface FixtureClient {
  readonly client_id: string;
  readonly client_secret: string;
  /** A token issued to it for one of its organizations. */
  readonly token: string;
  readonly organization_id: string;
}

/** A read request, and the parts of its response that must not change. */
export interface RecordedCall {
  readonly as: string;
  readonly method: string;
  readonly path: string;
  readonly json?: unknown;
  readonly status: number;
  readonly body: any;
}

/** A write that was sent with an `Idempotency-Key`. */
export interface KeyedWrite {
  readonly key: string;
  readonly connector: string;
  readonly params: { readonly teamId: string; readonly title: string };
  readonly status: number;
  readonly text: string;
}

/** Facts about a fixture that are not in its files, written by the release that created it. */
export interface Facts {
  /** The release that created it. */
  readonly version: string;
  /** When the service was last stopped, in milliseconds since 1970. */
  readonly stopped: number;
  /** Ids of Acme's connectors, by type. */
  readonly connectors: Readonly<Record<string, string>>;
  /** Globex's connector. */
  readonly foreign: string;
  readonly clients: Readonly<Record<string, FixtureClient>>;
  /** A token limited to a workspace. */
  readonly scoped: string;
  /** The cookie of a console session, and the secret of a sign-in link. */
  readonly console: { readonly cookie: string; readonly link: string };
  readonly setup: { readonly id: string; readonly url: string; readonly interval: string };
  readonly writes: { readonly answered: KeyedWrite; readonly unknown: KeyedWrite & { readonly id: string } };
  readonly denied: ReadonlyArray<{ readonly connector: string; readonly entity: string; readonly action: string }>;
  /** Reads that reach the vendors. */
  readonly calls: readonly RecordedCall[];
  /** Reads that the service answers itself. */
  readonly answers: readonly RecordedCall[];
  /** Semantic searches for words from a record, and the expected first hit. */
  readonly meant: ReadonlyArray<{ readonly path: string; readonly json: object; readonly first: object }>;
  /** A Linear job that no process had started. */
  readonly queued: string;
  /** Counts of a job that found nothing new, by connector and entity. */
  readonly again: Readonly<Record<string, readonly JobCounts[]>>;
  readonly audit: ReadonlyArray<{ readonly organization_id: string; readonly seq: number; readonly digest: string }>;
}

/** A job's counts for an entity. */
export interface JobCounts {
  readonly entity: string;
  readonly read: number;
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
}

/** The counts of a job. */
export const jobCountsOf = (job: any): JobCounts[] =>
  job.entities.map(({ entity, read, inserted, updated, unchanged, removed }: JobCounts) => ({
    entity,
    read,
    inserted,
    updated,
    unchanged,
    removed,
  }));

/** A clock that is frozen until it is set, and runs from then on. */
export class FixtureClock {
  #time = startTime;
  #since: number | undefined;

  set(time: number): void {
    this.#time = time;
    this.#since = performance.now();
  }

  readonly now = (): number =>
    this.#since === undefined ? this.#time : this.#time + Math.round(performance.now() - this.#since);
}

/** The fixtures' vendors with their original data, before the clock has been set. */
export const fixtureSandbox = (clock: FixtureClock): Sandbox => createSandbox({ seed: 7, scale: 0.05, now: clock.now });
