import type { ConnectorError, ErrorCode } from '../../call/errors.js';

/** What to do about failures for which the vendor's connector has no advice of its own. */
const advice: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'Make new credentials at the vendor and put them in the environment.',
  invalid_credentials: 'Set the variables as connectors describe --local names them.',
  scope_missing: 'Authorise again with the scope that is named.',
  forbidden: 'Have the account given access at the vendor.',
  network: 'The vendor’s host cannot be reached: check the network, a proxy, and any address of your own.',
  timeout: 'The vendor did not answer in time: try again, and check the network.',
  rate_limited: 'Other programs use the same quota: try again later.',
  quota_exhausted: 'The quota is used up: wait until it returns.',
  vendor_error: 'The vendor failed: try again later. If it stays so, check any address of your own.',
  invalid_response: 'Something else than the vendor may have answered: check any address of your own, and proxies.',
};

/** One line on how to mend a failure. */
export const fixHint = ({ code, hint }: ConnectorError): string =>
  hint ?? advice[code] ?? 'Run the same action with connectors execute --local to see more.';

/** Failures that say of the credentials as a whole that they do not work. */
export const affectsAllEntities = ({ code }: ConnectorError): boolean =>
  ['unauthorized', 'invalid_credentials', 'network', 'timeout'].includes(code);
