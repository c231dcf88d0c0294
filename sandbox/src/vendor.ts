import type { ByteArray, ByteSource } from './byte-array.js';
import type { SandboxClock } from './clock.js';
import type { FaultRule } from './faults.js';
import type { FolderDrive } from './folder-drive.js';

/** One HTTP request, as received by a vendor. */
export interface VendorRequest {
  /** HTTP method in upper case. */
  method: string;
  /** The part of the URL before `path`: the vendor's origin, or `http://host/<vendor>`. */
  base: string;
  /** Path without the query, such as `/graphql`. */
  path: string;
  /** Query parameters. */
  search: URLSearchParams;
  /** Request headers. */
  headers: Headers;
  /** Body as text; empty if there is none. */
  body: string;
  /** Body as bytes. */
  bytes: Uint8Array;
}

/** A vendor's HTTP response, before a fault changes it. */
export interface VendorReply {
  /** HTTP status. */
  status: number;
  /** Response headers; `date` is added from the sandbox's clock. */
  headers: Record<string, string>;
  /** Body as text, as bytes, or as a source of bytes for large bodies. */
  body: string | ByteArray | ByteSource;
}

/** The parts of a log entry besides method, path and headers. */
export interface RequestNotes {
  /** Label of the credential that was used, such as `api_key`; never the secret itself. */
  credential: string;
  /** Parsed body with secrets replaced; null if there is none. */
  body: unknown;
  /** First root field of a GraphQL request. */
  rootField?: string | undefined;
}

/** A vendor's entry in `sandbox.vendors`. */
export interface VendorHandle {
  /** Credentials that the vendor accepts: label to fields, such as `{ api_key: { api_key: 'k3y' } }`. */
  credentials: object;
  /** Rate limits, for vendors that have them; `PUT /_sandbox/limits` assigns them. */
  limits?: object;
  /** Reasons of the fault `refused` for which the vendor has its own error. */
  refusals?: readonly string[];
}

/** The state of one vendor in one sandbox. */
export interface VendorInstance<Handle extends VendorHandle = VendorHandle> {
  /** The vendor's entry in `sandbox.vendors`. */
  handle: Handle;
  /** Describes a request for the log. Called before `answer`, once per request. */
  notes(request: VendorRequest): RequestNotes;
  /**
   * Responds to a request. Connection and gateway faults, such as `reset_before`, `502` and `truncated_json`, are
   * applied by the sandbox; `fault` is passed on for those that need the vendor's own format, such as `rate_limited`,
   * `expired_token`, `500`, `half_page`, `endless_cursor` and `null_cursor`.
   */
  answer(request: VendorRequest, fault: FaultRule | undefined): VendorReply | Promise<VendorReply>;
  /** Expires every OAuth access token; does nothing for a vendor without them. */
  expireTokens(): void;
  /** Revokes an API key or token; ignores any that is not the vendor's. */
  revoke(secret: string): void;
  /** Restores the state to what it was right after creation. */
  reset(): void;
  /** Returns the state as plain JSON. */
  dump(): unknown;
  /** Restores a state returned by `dump`. */
  load(state: unknown): void;
}

/** What a vendor generates its data from. */
export interface VendorContext {
  /** Seed of the data: the same seed must give the same data. */
  seed: number;
  /** Amount of data, 1 by default. */
  scale: number;
  /** The sandbox's clock, for expiry and rate limits. */
  clock: SandboxClock;
  /** Time of creation, in milliseconds since the epoch; dates in the data are relative to it. */
  start: number;
  /** Folder on disk that replaces My Drive; used by Google Drive only. */
  driveFolder?: FolderDrive;
}

/**
 * A vendor that the sandbox can emulate. Its key in `createSandbox({ vendors })` is its name.
 *
 * @example
 * ```ts
 * import { createSandbox, type Vendor } from 'agent-connectors-sandbox';
 *
 * const ping: Vendor = {
 *   origins: ['https://api.ping.example'],
 *   create: () => ({
 *     handle: { credentials: { api_key: { api_key: 'k3y' } } },
 *     notes: () => ({ credential: 'api_key', body: null }),
 *     answer: () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: '{"pong":true}' }),
 *     expireTokens() {},
 *     revoke() {},
 *     reset() {},
 *     dump: () => ({}),
 *     load() {},
 *   }),
 * };
 * const sandbox = createSandbox({ vendors: { ping } });
 * await sandbox.fetch('https://api.ping.example/v1/ping');
 * ```
 */
export interface Vendor<Handle extends VendorHandle = VendorHandle> {
  /**
   * Real URLs that `sandbox.fetch` serves: an origin, optionally with a path prefix. A `*` matches one label of a host
   * name. The prefix stays part of `VendorRequest.path`: with `https://api.ping.example/v1`, requests arrive as
   * `/v1/firings`, and when the sandbox is served on a port, a connector's endpoint is `http://127.0.0.1:4010/ping/v1`.
   */
  origins: readonly string[];
  /** Creates the vendor's state for one sandbox. */
  create(context: VendorContext): VendorInstance<Handle>;
}

/** Vendors by name, as in `createSandbox({ vendors })`. */
export type VendorRecord = Readonly<Record<string, Vendor>>;
