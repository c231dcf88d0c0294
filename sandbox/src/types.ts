import type { SandboxClock } from './clock.js';
import type { Chaos, FaultRule } from './faults.js';
import type { FolderDrive } from './folder-drive.js';
import type { RequestLog } from './requests.js';
import type { VendorRecord } from './vendor.js';
import type { VendorHandles } from './vendors.js';

/** Options for a sandbox. */
export interface SandboxOptions<Added extends VendorRecord = {}> {
  /** Determines the data: the same seed gives the same data. 1 by default. */
  seed?: number;
  /** Amount of data: 1 is about 300 Linear issues, 60 Granola notes and 150 Gong calls. */
  scale?: number;
  /** Time source; `Date.now` by default. */
  now?: () => number;
  /** Initial fault rules. */
  faults?: readonly FaultRule[];
  /** Random faults, deterministic by seed. */
  chaos?: Chaos;
  /** A folder on disk to serve as My Drive, from `driveFromFolder`. */
  driveFolder?: FolderDrive;
  /** Vendors to emulate besides the built-in ones, by name. */
  vendors?: Added;
}

/** An emulation of the vendors' HTTP APIs. */
export interface Sandbox<Added extends VendorRecord = {}> {
  /** Responds to the vendors' real URLs and to `${origin}/<vendor>/…` on any other origin, without a socket. */
  fetch: typeof globalThis.fetch;
  /** Name of the vendor that a real URL belongs to; undefined for any other URL. */
  vendorOf(url: string | URL): string | undefined;
  /** Handles a request to `/<vendor>/…` or `/_sandbox/…` on any origin. */
  handle(request: Request): Promise<Response>;
  /** Each vendor's credentials, limits and other controls. */
  vendors: VendorHandles<Added>;
  /** Fault rules. */
  faults: {
    /** Adds a rule; the first match applies. */
    add(rule: FaultRule): void;
    /** Removes all rules. */
    clear(): void;
  };
  /** Received requests, oldest first. */
  requests: RequestLog;
  /** The sandbox's clock. */
  clock: SandboxClock;
  /** Expires every issued OAuth access token; refresh tokens stay valid. */
  expireTokens(): void;
  /** Revokes a key or token. */
  revoke(secret: string): void;
  /** Restores the initial state. */
  reset(): void;
  /** The whole state as plain JSON. */
  dump(): unknown;
  /** Restores a state from `dump`. */
  load(state: unknown): void;
}
