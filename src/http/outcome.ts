import type { ConnectorError } from '../errors/connector-error.js';

/** Failures after which it is unknown whether the vendor executed the request. */
export const outcomeUnknown = new WeakSet<ConnectorError>();

/** Whether the vendor may have executed the failed request. */
export const mayHaveActed = (error: ConnectorError): boolean => outcomeUnknown.has(error);
