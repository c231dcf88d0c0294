import { ConnectorError, type ErrorCode } from 'agent-connectors';

/** Thrown inside of a job that this process must not go on with. */
export class JobStoppedError extends Error {
  override readonly name = 'Stopped';
}

/** Thrown where the vendor wants to be left alone for so long that the job is given back meanwhile. */
export class JobDeferredError extends Error {
  override readonly name = 'Deferred';
  readonly waitMs: number;

  constructor(error: ConnectorError, waitMs: number) {
    super(error.message, { cause: error });
    this.waitMs = waitMs;
  }
}

/** Thrown where an organization would have more records than it may have. */
export class StorageFullError extends Error {
  constructor(limit: number) {
    super(
      `The organization has reached its limit of ${limit} replicated records. Replicate fewer entities or delete ` +
        'connectors, or ask the operator of the service to raise recordsPerOrganization in --limits.',
    );
  }
}

/** Why an entity could not be replicated, in words for whoever looks at the job. */
export interface EntityFault {
  readonly message: string;
  /** Whether the same may succeed a little later. */
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

/** What a failure says to whoever looks at the job; one that nobody foresaw says nothing of its cause. */
export function faultOf(error: unknown): EntityFault {
  if (error instanceof StorageFullError) return { message: error.message, isTransient: false };
  if (!ConnectorError.is(error)) {
    return { message: 'The sync failed inside the service; see its log.', isTransient: true };
  }
  const { code, message, hint, retryable } = error;
  return {
    message: `${code}: ${hint === undefined ? message : `${message} ${hint}`}`,
    isTransient: retryable || transientCodes.has(code),
  };
}

/** Whether nobody foresaw a failure, so that the operator has to be told of it. */
export const isUnforeseen = (error: unknown): boolean =>
  !ConnectorError.is(error) && !(error instanceof StorageFullError);

/** Whether the vendor refuses for the sake of a limit, which is no failure. */
export const isRateLimit = (error: unknown): error is ConnectorError =>
  ConnectorError.is(error) && (error.code === 'rate_limited' || error.code === 'quota_exhausted');

/** Whether the vendor does not respond, or fails, whatever it is asked. */
export const isVendorFault = (error: unknown): error is ConnectorError =>
  ConnectorError.is(error) && (error.code === 'network' || error.code === 'timeout' || error.code === 'vendor_error');
