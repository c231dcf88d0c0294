import { apiErrors } from '../errors.js';

const systemParameters = [
  'alt',
  'prettyPrint',
  'fields',
  'key',
  'quotaUser',
  'uploadType',
  'upload_protocol',
  'callback',
];
const knownParameters = new Set([
  ...systemParameters,
  'access_token',
  'oauth_token',
  '$.xgafv',
  '$alt',
  '$prettyPrint',
  '$fields',
]);

/** Rejects unknown query parameters. */
export function rejectUnknownParameters(search: URLSearchParams): void {
  const violations = [...new Set(search.keys())]
    .filter((name) => !knownParameters.has(name))
    .map((name) => ({
      description: `Invalid JSON payload received. Unknown name ${JSON.stringify(name)}: Cannot bind query parameter. Field '${name}' could not be found in request message.`,
    }));
  if (violations.length > 0) throw apiErrors.payload(violations);
}
