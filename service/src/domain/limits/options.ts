import * as z from 'zod';

/** Limits for callers. */
export interface Limits {
  /** Average requests per second per client; 0 for no limit. (100) */
  readonly rate: number;
  /** Burst size of `rate`. (1000) */
  readonly burst: number;
  /** Bytes of request bodies and vendors' responses that count as another request against `rate`. (64 KiB) */
  readonly bytesPerRequest: number;
  /**
   * Token requests, sign-ins, new setups and connect sessions per minute, per name and address; four times as many
   * setup page visits per address; 0 for no limit. (300)
   */
  readonly signIns: number;
  /** Concurrent requests. (2000) */
  readonly atOnce: number;
  /** Concurrent requests per client, or per address if there is no token. (500) */
  readonly atOnceOfClient: number;
  /** Concurrent downloads and event streams per client. (500) */
  readonly streams: number;
  /** Concurrent connections. (5000) */
  readonly connections: number;
  /** Concurrent connections per address, except for trusted proxies. (1000) */
  readonly connectionsOfAddress: number;
  /**
   * Bytes in memory for everything that is held for callers: request bodies and vendors' responses while they are
   * processed, unsent responses, MCP sessions and files. (512 MiB)
   */
  readonly heldBytes: number;
  /** The same for one organization, or one address if there is no token. (256 MiB) */
  readonly heldBytesOfOrganization: number;
  /** Maximum size of the request head in bytes. (16 KiB) */
  readonly headBytes: number;
  /** Milliseconds to receive the request head. (20,000) */
  readonly headMs: number;
  /** Milliseconds to receive the entire request. (120,000) */
  readonly requestMs: number;
  /** Milliseconds without any data transfer while data is expected. (60,000) */
  readonly stalledMs: number;
  /** Milliseconds to send a response, except for streams. (300,000) */
  readonly answerMs: number;
  /** Keep-alive time of an idle connection in milliseconds. (65,000) */
  readonly idleMs: number;
  /** Workspaces per organization. (10,000) */
  readonly workspacesPerOrganization: number;
  /** Connectors per organization, across all workspaces. (10,000) */
  readonly connectorsPerOrganization: number;
  /** Setups and connect sessions per client and organization, including ended ones that are still stored. (10,000) */
  readonly setupsPerClient: number;
  /** Registered OAuth apps without a grant. (10,000) */
  readonly oauthApps: number;
  /** Registered OAuth apps without a grant per address. (200) */
  readonly oauthAppsOfAddress: number;
  /** Replicated records per organization, across all connectors; 0 for no limit. (0) */
  readonly recordsPerOrganization: number;
  /**
   * Bytes of audit entries, responses for replay and plans that a client causes per day, and an eighth more for changes; 0
   * for no limit. (144 MiB)
   */
  readonly storedBytesPerDay: number;
  /** The same for an organization; a tenth is kept for clients with the `admin` scope; 0 for no limit. (1440 MiB) */
  readonly storedBytesPerDayOfOrganization: number;
  /** Free bytes on the disk of the data folder below which writes are rejected; 0 for no limit. (128 MiB) */
  readonly minFreeBytes: number;
}

const defaultLimits: Limits = {
  rate: 100,
  burst: 1000,
  bytesPerRequest: 64 * 2 ** 10,
  signIns: 300,
  atOnce: 2000,
  atOnceOfClient: 500,
  streams: 500,
  connections: 5000,
  connectionsOfAddress: 1000,
  heldBytes: 512 * 2 ** 20,
  heldBytesOfOrganization: 256 * 2 ** 20,
  headBytes: 16 * 2 ** 10,
  headMs: 20_000,
  requestMs: 120_000,
  stalledMs: 60_000,
  answerMs: 300_000,
  idleMs: 65_000,
  workspacesPerOrganization: 10_000,
  connectorsPerOrganization: 10_000,
  setupsPerClient: 10_000,
  oauthApps: 10_000,
  oauthAppsOfAddress: 200,
  recordsPerOrganization: 0,
  storedBytesPerDay: 144 * 2 ** 20,
  storedBytesPerDayOfOrganization: 1440 * 2 ** 20,
  minFreeBytes: 128 * 2 ** 20,
};

/** Longest delay that timers support. */
const maxTimerMs = 2 ** 31 - 1;
const integerFrom = (from: number) => z.optional(z.int().min(from).max(Number.MAX_SAFE_INTEGER));
const ms = z.optional(z.int().min(1).max(maxTimerMs));
const limitsSchema = z.strictObject({
  rate: z.optional(z.number().min(0).max(1e6)),
  burst: integerFrom(1),
  bytesPerRequest: integerFrom(1),
  signIns: integerFrom(0),
  atOnce: integerFrom(1),
  atOnceOfClient: integerFrom(1),
  streams: integerFrom(1),
  connections: integerFrom(1),
  connectionsOfAddress: integerFrom(1),
  heldBytes: integerFrom(1),
  heldBytesOfOrganization: integerFrom(1),
  headBytes: integerFrom(1),
  headMs: ms,
  requestMs: ms,
  stalledMs: ms,
  answerMs: ms,
  idleMs: ms,
  workspacesPerOrganization: integerFrom(1),
  connectorsPerOrganization: integerFrom(1),
  setupsPerClient: integerFrom(1),
  oauthApps: integerFrom(1),
  oauthAppsOfAddress: integerFrom(1),
  recordsPerOrganization: integerFrom(0),
  storedBytesPerDay: integerFrom(0),
  storedBytesPerDayOfOrganization: integerFrom(0),
  minFreeBytes: integerFrom(0),
});

/** All limits, with defaults for missing ones. */
export const limitsWith = (some: Partial<Limits> = {}): Limits => ({
  ...defaultLimits,
  ...parseLimits(some, 'limits'),
});

/** Parses limits from JSON; errors name the source, never a value. */
export function limitsOf(text: string, source: string): Partial<Limits> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${source} is not valid JSON. Pass JSON such as {"rate": 50, "burst": 200}.`);
  }
  return parseLimits(value, source);
}

function parseLimits(value: unknown, source: string): Partial<Limits> {
  const parsed = limitsSchema.safeParse(value);
  if (parsed.success) {
    return Object.fromEntries(Object.entries(parsed.data).filter(([, limit]) => limit !== undefined));
  }
  const [issue] = parsed.error.issues;
  const name = issue?.path.join('.');
  if (name) throw new Error(`${source}: ${name} is out of range for this limit.`);
  throw new Error(`${source} must be an object with only these keys: ${Object.keys(defaultLimits).join(', ')}.`);
}
