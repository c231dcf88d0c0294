import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';

/** Opens what is sealed in the fixtures, and nothing else in the world. */
export const fixtureKey = Buffer.alloc(32, 7).toString('base64');

/** When the sandbox of the fixtures begins; its data lies around this moment. */
export const startTime = Date.UTC(2026, 4, 4, 12);

/** The address that people reach the service of the fixtures at. */
export const publicUrl = 'http://service.test';

/** A client of a fixture. */
export interface FixtureClient {
  readonly client_id: string;
  readonly client_secret: string;
  /** A token that it was given for one of its organizations. */
  readonly token: string;
  readonly organization_id: string;
}

/** A request that only reads, and what of its answer has to stay. */
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

/** What is known of a fixture beside its files, written by the release that made it. */
export interface Facts {
  /** The release that wrote it. */
  readonly version: string;
  /** When the service was stopped for good, in milliseconds since 1970. */
  readonly stopped: number;
  /** Ids of the connectors of Acme, by type. */
  readonly connectors: Readonly<Record<string, string>>;
  /** The connector of Globex. */
  readonly foreign: string;
  readonly clients: Readonly<Record<string, FixtureClient>>;
  /** A token of one workspace. */
  readonly scoped: string;
  /** The cookie of a session of the console, and the secret of a link that begins another. */
  readonly console: { readonly cookie: string; readonly link: string };
  readonly setup: { readonly id: string; readonly url: string; readonly interval: string };
  readonly writes: { readonly answered: KeyedWrite; readonly unknown: KeyedWrite & { readonly id: string } };
  readonly denied: ReadonlyArray<{ readonly connector: string; readonly entity: string; readonly action: string }>;
  /** Reads that reach the vendors. */
  readonly calls: readonly RecordedCall[];
  /** Reads that the service answers by itself. */
  readonly answers: readonly RecordedCall[];
  /** Searches by meaning for words of a record, and what of it they find first. */
  readonly meant: ReadonlyArray<{ readonly path: string; readonly json: object; readonly first: object }>;
  /** A job of Linear's that nobody had taken up. */
  readonly queued: string;
  /** What a job counted that found nothing new, by connector and entity. */
  readonly again: Readonly<Record<string, readonly JobCounts[]>>;
  readonly audit: ReadonlyArray<{ readonly organization_id: string; readonly seq: number; readonly digest: string }>;
}

/** How a job went through an entity. */
export interface JobCounts {
  readonly entity: string;
  readonly read: number;
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
}

/** Of a job, what it counted. */
export const jobCountsOf = (job: any): JobCounts[] =>
  job.entities.map(({ entity, read, inserted, updated, unchanged, removed }: JobCounts) => ({
    ...{ entity, read, inserted, updated, unchanged, removed },
  }));

/** A clock that stands still until it is set, and goes on from there. */
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

/** The vendors of the fixtures, with the data that they had then, at the time of a clock that has not been set yet. */
export const fixtureSandbox = (clock: FixtureClock): Sandbox => createSandbox({ seed: 7, scale: 0.05, now: clock.now });
