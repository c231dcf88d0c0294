import type { ByteArray, ByteSource } from './byte-array.js';
import type { SandboxClock } from './clock.js';
import type { FaultRule } from './faults.js';
import type { FolderDrive } from './folder-drive.js';

/** One HTTP request as a vendor sees it. */
export interface VendorRequest {
  method: string;
  /** What stands before the path in the address: the vendor's origin, or `http://host/<vendor>`. */
  base: string;
  /** The path below the vendor's base, such as `/graphql`. */
  path: string;
  search: URLSearchParams;
  headers: Headers;
  /** The body as text, and as it came. */
  body: string;
  bytes: Uint8Array;
}

/** One HTTP reply before it is put on the wire. */
export interface VendorReply {
  status: number;
  headers: Record<string, string>;
  body: string | ByteArray | ByteSource;
}

/** What is noted about a request before it is answered. */
export interface RequestNotes {
  /** Which credential it carried, by label: never the secret. */
  credential: string;
  /** The request's body, parsed, with secrets replaced. */
  body: unknown;
  /** The first GraphQL root field, where the vendor speaks GraphQL. */
  rootField?: string | undefined;
}

/** A vendor's part of one sandbox. */
export interface VendorInstance<Handle = unknown> {
  /** What users of the sandbox see of this vendor. */
  handle: Handle;
  notes(request: VendorRequest): RequestNotes;
  /** Answers, with the vendor's own form of the fault where it has one. */
  answer(request: VendorRequest, fault: FaultRule | undefined): VendorReply | Promise<VendorReply>;
  expireTokens(): void;
  revoke(secret: string): void;
  reset(): void;
  dump(): unknown;
  load(state: unknown): void;
}

/** What a vendor is given to build its world from. */
export interface VendorContext {
  seed: number;
  scale: number;
  clock: SandboxClock;
  /** The time that the data is told relative to. */
  start: number;
  /** A folder of the disk that takes the place of the files in My Drive. */
  driveFolder?: FolderDrive;
}

/** A vendor that can be emulated. */
export interface Vendor<Name extends string = string, Handle = unknown> {
  name: Name;
  /** The real addresses that the in-process fetch answers for: an origin, or an origin and the start of a path. */
  origins: readonly string[];
  create(context: VendorContext): VendorInstance<Handle>;
}
