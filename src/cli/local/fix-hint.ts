import type { ConnectorError, ErrorCode } from '../../errors/connector-error.js';
import type { Flags } from '../arguments/specification.js';

/** Advice for failures for which the connector gives no hint. */
const advice: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'Create new credentials with the vendor and set them in the environment.',
  invalid_credentials: 'Set the variables listed by "connectors describe --local".',
  scope_missing: 'Authorize again with the scope listed above.',
  forbidden: 'Grant the account access in the vendor’s settings.',
  network: 'The vendor’s host cannot be reached: check the network, proxies and custom endpoints.',
  timeout: 'The vendor did not respond in time: check the network and try again.',
  rate_limited: 'Other programs use the same quota: try again later.',
  quota_exhausted: 'The quota is used up: wait until it resets.',
  vendor_error:
    'The vendor had an internal error: retry later. If this persists, check any custom endpoints you have configured.',
  invalid_response: 'A proxy may have responded instead of the vendor: check proxies and any custom endpoints.',
};

/** Advice for credentials stored in a service. */
const hostedAdvice: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'Create new credentials with the vendor.',
  invalid_credentials: 'Check the credentials with the vendor.',
  network: 'The service cannot reach the vendor’s host: ask the service’s operator to check its network and proxy.',
  timeout: 'The vendor did not respond to the service in time: try again later.',
  vendor_error: 'The vendor had an internal error: try again later.',
  invalid_response:
    'A proxy may have responded to the service instead of the vendor: ask the service’s operator to check.',
};

const update = 'Then store the new credentials: agent-connectors connectors update - < changes.json.';

/** Failures that different credentials would fix. */
const credentialCodes: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'invalid_credentials', 'scope_missing']);

/** One line on how to fix a failure. */
export function fixHint({ code, hint }: ConnectorError, { local = false }: Flags): string {
  const known = hint ?? (local ? undefined : hostedAdvice[code]) ?? advice[code];
  if (known === undefined) return 'Run the action with connectors execute to see the full error.';
  return !local && credentialCodes.has(code) ? `${known} ${update}` : known;
}

/** Failures that mean the credentials do not work at all. */
export const affectsAllEntities = ({ code }: ConnectorError): boolean =>
  ['unauthorized', 'invalid_credentials', 'network', 'timeout'].includes(code);
