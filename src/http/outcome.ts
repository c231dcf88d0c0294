import type { ConnectorError } from '../call/errors.js';

/** Failures after which nobody here knows whether the vendor has acted. */
export const outcomeUnknown = new WeakSet<ConnectorError>();

/** Whether the vendor may have done what failed. */
export const mayHaveActed = (error: ConnectorError): boolean => outcomeUnknown.has(error);
