import * as z from 'zod';

/** How much callers may ask of the service and have there, and for how long they may keep it waiting. */
export interface Limits {
  /** Requests a second of one client, on average; 0 for any number. (100) */
  readonly rate: number;
  /** Requests of one client at one time, before `rate` begins to count. (1000) */
  readonly burst: number;
  /** Requests for tokens, sign-ins and visits of setup pages a minute, of one name at one address; 0 for any. (300) */
  readonly signIns: number;
  /** Requests that are answered at the same time. (2000) */
  readonly atOnce: number;
  /** Of these, those of one client, or of one address where nobody has shown a token. (500) */
  readonly atOnceOfClient: number;
  /** Downloads and streams of events of one client at the same time. (500) */
  readonly streams: number;
  /** Connections at the same time. (5000) */
  readonly connections: number;
  /** Of these, those of one address, unless it is that of a trusted proxy. (1000) */
  readonly connectionsOfAddress: number;
  /** Bytes of bodies and of answers that nobody has taken yet; a client may have a quarter of them. (512 MiB) */
  readonly heldBytes: number;
  /** Bytes of the head of a request. (16 KiB) */
  readonly headBytes: number;
  /** Milliseconds for the head of a request. (20,000) */
  readonly headMs: number;
  /** Milliseconds for a request to arrive whole. (120,000) */
  readonly requestMs: number;
  /** Milliseconds without a byte in either direction while one is waited for. (60,000) */
  readonly stalledMs: number;
  /** Milliseconds for an answer that is no stream to be taken. (300,000) */
  readonly answerMs: number;
  /** Milliseconds that a connection is kept for the next request. (65,000) */
  readonly idleMs: number;
  /** Workspaces of one organization. (10,000) */
  readonly workspacesPerOrganization: number;
  /** Connectors of one organization, in all of its workspaces. (10,000) */
  readonly connectorsPerOrganization: number;
  /** Setups and connect sessions of one client in an organization: open, or remembered after they ended. (10,000) */
  readonly setupsPerClient: number;
  /** Apps that have registered for OAuth and that no person has let in. (10,000) */
  readonly oauthApps: number;
  /** Of these, those registered from one address. (200) */
  readonly oauthAppsOfAddress: number;
  /** Replicated records of one organization, of all its connectors; 0 for any number. (0) */
  readonly recordsPerOrganization: number;
}

/** The limits that are left out. */
const defaultLimits: Limits = {
  rate: 100,
  burst: 1000,
  signIns: 300,
  atOnce: 2000,
  atOnceOfClient: 500,
  streams: 500,
  connections: 5000,
  connectionsOfAddress: 1000,
  heldBytes: 512 * 2 ** 20,
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
};

/** Timers take no more milliseconds than these. */
const maxTimerMs = 2 ** 31 - 1;
const integerFrom = (from: number) => z.optional(z.int().min(from).max(Number.MAX_SAFE_INTEGER));
const ms = z.optional(z.int().min(1).max(maxTimerMs));
const limitsSchema = z.strictObject({
  rate: z.optional(z.number().min(0).max(1e6)),
  burst: integerFrom(1),
  signIns: integerFrom(0),
  ...{ atOnce: integerFrom(1), atOnceOfClient: integerFrom(1), streams: integerFrom(1), connections: integerFrom(1) },
  connectionsOfAddress: integerFrom(1),
  ...{ heldBytes: integerFrom(1), headBytes: integerFrom(1) },
  ...{ headMs: ms, requestMs: ms, stalledMs: ms, answerMs: ms, idleMs: ms },
  ...{ workspacesPerOrganization: integerFrom(1), connectorsPerOrganization: integerFrom(1) },
  setupsPerClient: integerFrom(1),
  ...{ oauthApps: integerFrom(1), oauthAppsOfAddress: integerFrom(1) },
  recordsPerOrganization: integerFrom(0),
});

/** All limits: those that were given, and the usual ones for the rest. */
export const limitsWith = (some: Partial<Limits> = {}): Limits => ({
  ...defaultLimits,
  ...parseLimits(some, 'limits'),
});

/** Reads limits from JSON; an error names where it came from, and no value. */
export function limitsOf(text: string, source: string): Partial<Limits> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${source} must be JSON such as {"rate": 50, "burst": 200}; it is not JSON.`);
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
