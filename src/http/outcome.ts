import type { ConnectorError } from '../errors/connector-error.js';

/** Failures after which it is unknown whether the vendor executed the request. */
export const outcomeUnknown = new WeakSet<ConnectorError>();

/** Failures of `beforeAttempt`: the request was not sent, and the call sends nothing more. */
export const callEnded = new WeakSet<object>();

/** Whether the vendor may have executed the failed request. */
export const mayHaveActed = (error: ConnectorError): boolean => outcomeUnknown.has(error);
