import type { ConnectorError } from '../errors.js';

/** Failures after which nobody here knows whether the vendor has acted. */
export const unknownFate = new WeakSet<ConnectorError>();
