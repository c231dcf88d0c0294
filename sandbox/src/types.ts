import type { SandboxClock } from './clock.js';
import type { Chaos, FaultRule } from './faults.js';
import type { FolderDrive } from './folder-drive.js';
import type { RequestLog } from './requests.js';
import type { VendorRecord } from './vendor.js';
import type { VendorHandles } from './vendors.js';

/** What a sandbox can be made with. */
export interface SandboxOptions<Added extends VendorRecord = {}> {
  /** Chooses the data; the same seed gives the same data. 1 when left out. */
  seed?: number;
  /** How much data: 1 is about 300 Linear issues, 60 Granola notes and 150 Gong calls. */
  scale?: number;
  /** The time source, `Date.now` when left out. */
  now?: () => number;
  /** Rules that hold from the beginning. */
  faults?: readonly FaultRule[];
  /** Faults at random, the same ones for the same seed. */
  chaos?: Chaos;
  /** A folder of the disk to serve as My Drive, from `driveFromFolder`. */
  driveFolder?: FolderDrive;
  /** Vendors to emulate besides the built-in ones, by name. */
  vendors?: Added;
}

/** An emulation of the vendors' HTTP APIs. */
export interface Sandbox<Added extends VendorRecord = {}> {
  /** Answers the vendors' real addresses and `${origin}/<vendor>/…` of any other origin, without a socket. */
  fetch: typeof globalThis.fetch;
  /** Answers one request to `/<vendor>/…` or `/_sandbox/…`, whatever the origin. */
  handle(request: Request): Promise<Response>;
  /** Each vendor’s credentials, limits and the like. */
  vendors: VendorHandles<Added>;
  /** Rules of what goes wrong. */
  faults: {
    /** Adds a rule; the first that fits strikes. */
    add(rule: FaultRule): void;
    /** Removes all rules. */
    clear(): void;
  };
  /** What was asked, the oldest first. */
  requests: RequestLog;
  /** The sandbox’s time. */
  clock: SandboxClock;
  /** Ends every OAuth access token given out; refresh tokens stay. */
  expireTokens(): void;
  /** Ends one key or token. */
  revoke(secret: string): void;
  /** Goes back to the state right after creation. */
  reset(): void;
  /** The whole state as plain JSON. */
  dump(): unknown;
  /** Takes over a state that `dump` gave. */
  load(state: unknown): void;
}
