import { statfs } from 'node:fs/promises';
import { httpError } from '../http-error.js';
import type { OpenBuckets } from './admission.js';
import type { Limits } from './options.js';

/** Who causes something to be stored. */
export interface StoringCaller {
  readonly clientId: string;
  readonly organizationId: string;
  readonly isAdmin: boolean;
}

/** Limits on what clients cause to be stored: audit entries, responses for replay and plans. */
export interface StorageLimits {
  /** Admits a call that stores this many audit entries, or rejects it; `isWrite` if it changes something. */
  admit(caller: StoringCaller, entries: number, isWrite: boolean): Promise<void>;
  /**
   * Admits a change that stores an audit entry, such as a new token or policy, or rejects it. Changes have a part of their
   * own besides that of calls, so that a client whose calls are rejected can still end access.
   */
  admitChange(caller: Pick<StoringCaller, 'clientId' | 'organizationId'>): Promise<void>;
  /** Counts bytes stored in addition to audit entries. */
  count(caller: Pick<StoringCaller, 'clientId' | 'organizationId'>, bytes: number): void;
}

/** Bytes per token; an audit entry with its indexes takes about one token. */
const tokenBytes = 1024;
/** Part of a day's bytes that can be stored at once. */
const burstPart = 1 / 3;
/** Part of an organization's bytes that only administrators can use. */
const administratorsPart = 1 / 10;
/** Part of a client's bytes that is added for changes. */
const changesPart = 1 / 8;
/** How often to look up the free space, in milliseconds. */
const diskCheckMs = 5_000;

/** Opens the limits; `folder` is the data folder, undefined if nothing is stored on this machine's disk. */
export function openStorageLimits(
  limits: Pick<Limits, 'storedBytesPerDay' | 'storedBytesPerDayOfOrganization' | 'minFreeBytes'>,
  openBuckets: OpenBuckets,
  folder: string | undefined,
  now: () => number,
): StorageLimits {
  const bucketsOf = (kind: string, perDay: number) =>
    openBuckets(kind, perDay / tokenBytes / 86_400, Math.max(1, Math.floor((perDay * burstPart) / tokenBytes)));
  const clients = bucketsOf('stored by client', limits.storedBytesPerDay);
  const changes = bucketsOf('stored changes', limits.storedBytesPerDay * changesPart);
  const organizations = bucketsOf('stored by organization', limits.storedBytesPerDayOfOrganization);

  let isDiskFull = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;
  const checkDisk = async () => {
    if (folder === undefined || limits.minFreeBytes === 0 || now() - checkedAt < diskCheckMs) return;
    checking ??= statfs(folder)
      .then(({ bavail, bsize }) => {
        isDiskFull = bavail * bsize < limits.minFreeBytes;
      })
      // Not supported by every file system.
      .catch(() => {})
      .finally(() => {
        checking = undefined;
        checkedAt = now();
      });
    await checking;
  };
  return {
    async admit({ clientId, organizationId, isAdmin }, entries, isWrite) {
      if (isWrite) {
        await checkDisk();
        if (isDiskFull) throw diskFullError();
      }
      for (let entry = 0; entry < entries; entry++) {
        const own = await clients.take(clientId);
        if (!own.allowed) throw storedTooMuchError('client', own.waitMs);
        const all = await organizations.take(organizationId);
        const isKept = !isAdmin && all.remaining < all.limit * administratorsPart;
        if (!all.allowed || isKept) throw storedTooMuchError('organization', all.waitMs || 60_000);
      }
    },
    async admitChange({ clientId, organizationId }) {
      const { allowed } = await clients.take(clientId);
      const kept = allowed ? undefined : await changes.take(clientId);
      if (kept && !kept.allowed) throw storedTooMuchError('client', kept.waitMs);
      organizations.owe(organizationId, 1);
    },
    count({ clientId, organizationId }, bytes) {
      const tokens = Math.ceil(bytes / tokenBytes);
      clients.owe(clientId, tokens);
      organizations.owe(organizationId, tokens);
    },
  };
}

const notBegun = { retryable: true, errors: [] };

const limitNames = { client: 'storedBytesPerDay', organization: 'storedBytesPerDayOfOrganization' } as const;

const storedTooMuchError = (whose: 'client' | 'organization', retryAfterMs: number) =>
  httpError(429, 'rate_limited', `This ${whose} has stored as much as it may for now, so nothing was done.`, {
    ...notBegun,
    retryAfterMs,
    hint: `Every call and change is recorded in the audit log. The operator can raise ${limitNames[whose]} with --limits.`,
  });

const diskFullError = () =>
  httpError(503, 'network', 'The service’s disk is almost full, so no writes are accepted. Reads still work.', {
    ...notBegun,
    retryAfterMs: 10_000,
    hint: 'The operator has to free space or enlarge the disk.',
  });
