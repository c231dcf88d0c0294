import { ConnectorError, type ErrorCode } from 'agent-connectors';
import type { Failure } from 'agent-connectors/replication';
import type { GapReason } from '../../data/state/replication-types.js';
import { isDatabaseUnavailable } from '../../data/unavailable.js';

/** Thrown in a job that this process must not continue. */
export class JobStoppedError extends Error {
  override readonly name = 'Stopped';
}

/** Thrown when the vendor requires a delay so long that the job is released in the meantime. */
export class JobDeferredError extends Error {
  override readonly name = 'Deferred';
  readonly waitMs: number;

  constructor(error: ConnectorError, waitMs: number) {
    super(error.message, { cause: error });
    this.waitMs = waitMs;
  }
}

/** Thrown when an organization would exceed its record quota. */
export class StorageFullError extends Error {
  constructor(limit: number) {
    super(
      `The organization has reached its limit of ${limit} replicated records. Replicate fewer entities or delete ` +
        'connectors, or ask the service operator to raise recordsPerOrganization in --limits.',
    );
  }
}

/** Why an entity could not be replicated, as shown to users. */
export interface EntityFault {
  readonly message: string;
  readonly reason: GapReason;
  /** Whether a retry may succeed. */
  readonly isTransient: boolean;
}

const transientCodes: ReadonlySet<ErrorCode> = new Set([
  'network',
  'timeout',
  'rate_limited',
  'quota_exhausted',
  'vendor_error',
  'invalid_response',
  'aborted',
]);

const reasons: Readonly<Partial<Record<ErrorCode, GapReason>>> = {
  rate_limited: 'rate_limit',
  quota_exhausted: 'rate_limit',
  scope_missing: 'scope',
  forbidden: 'scope',
  unauthorized: 'credentials',
  invalid_credentials: 'credentials',
};

/** Converts a failure to the error shown to users; unexpected errors reveal nothing about their cause. */
export function faultOf(error: unknown): EntityFault {
  if (error instanceof StorageFullError) return { message: error.message, reason: 'record_quota', isTransient: false };
  if (isDatabaseUnavailable(error)) {
    const message = 'The sync failed because the database was unavailable. It will be retried.';
    return { message, reason: 'sync_failed', isTransient: true };
  }
  if (!ConnectorError.is(error)) {
    const message = 'The sync failed because of an internal error; see the service log.';
    return { message, reason: 'sync_failed', isTransient: true };
  }
  const { code, message, hint, retryable } = error;
  return {
    message: `${code}: ${hint === undefined ? message : `${message} ${hint}`}`,
    reason: reasons[code] ?? 'sync_failed',
    isTransient: retryable || transientCodes.has(code),
  };
}

/** Whether a failure is unexpected and must be reported to the operator. */
export const isUnforeseen = (error: unknown): boolean =>
  !ConnectorError.is(error) && !(error instanceof StorageFullError);

/** Whether the vendor rate-limited the call, which does not count as a failure. */
export const isRateLimit = (error: unknown): error is ConnectorError =>
  ConnectorError.is(error) && (error.code === 'rate_limited' || error.code === 'quota_exhausted');

/** Whether the vendor is not responding, or every request to it fails. */
export const isVendorFault = (error: unknown): error is ConnectorError =>
  ConnectorError.is(error) && (error.code === 'network' || error.code === 'timeout' || error.code === 'vendor_error');

const credentialCodes: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'invalid_credentials']);

/** Whether the vendor no longer accepts the credentials, so the account must be reconnected. */
export const needsReauthorization = (error: unknown): error is ConnectorError =>
  ConnectorError.is(error) && credentialCodes.has(error.code);

/** Whether something went wrong with a record: it is missing, or text that its file was expected to have. */
export const isFailure = ({ state, permanent }: Failure): boolean => permanent !== true && state !== 'partial';
