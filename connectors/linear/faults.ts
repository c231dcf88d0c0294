import {
  type Budget,
  type ErrorCode,
  type Fault,
  findVendorError,
  type GraphqlError,
  graphqlErrors,
  type HttpReply,
  type VendorError,
} from '../../src/authoring.js';

/** Errors by `extensions.code`, where specific enough, and by `extensions.type`, as listed in Linear's SDK. */
const codes: readonly VendorError[] = [
  ['AUTHENTICATION_ERROR', 'unauthorized'],
  ['RATELIMITED', 'rate_limited'],
  ['FORBIDDEN', 'forbidden'],
  ['USAGE_LIMIT_EXCEEDED', 'quota_exhausted'],
  ['QUOTA_EXCEEDED', 'quota_exhausted'],
  ['INPUT_ERROR', 'invalid_params'],
  ['INVALID_INPUT', 'invalid_params'],
  ['GRAPHQL_VALIDATION_FAILED', 'vendor_error'],
  ['INTERNAL_SERVER_ERROR', 'vendor_error'],
  ['authentication error', 'unauthorized'],
  ['ratelimited', 'rate_limited'],
  ['forbidden', 'forbidden'],
  ['feature not accessible', 'forbidden'],
  ['usage limit exceeded', 'quota_exhausted'],
  ['invalid input', 'invalid_params'],
  ['user error', 'invalid_params'],
  ['internal error', 'vendor_error'],
  ['lock timeout', 'vendor_error'],
  ['network error', 'vendor_error'],
  ['bootstrap error', 'vendor_error'],
];

/** Transient failures, unless Linear attributes them to the user. */
const transientTypes = new Set(['internal error', 'lock timeout', 'network error', 'bootstrap error']);

const byStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  429: 'rate_limited',
};

/** Errors by message, if they have no specific code. */
const messages: readonly VendorError[] = [
  [
    /^Entity not found/i,
    'not_found',
    'The record does not exist or is not visible to this key. A key can be restricted to certain teams.',
  ],
  [/^conflict on insert/i, 'conflict'],
  [
    /API key as a Bearer token/i,
    'unauthorized',
    'Pass a personal API key as `api_key`, or an OAuth token as `access_token`.',
  ],
  [/^(Rate limit exceeded|rate limited)/i, 'rate_limited'],
  [/^(usage limit|quota) exceeded/i, 'quota_exhausted'],
  [/too complex/i, 'too_large', 'Request fewer records with a smaller `first`.'],
  [/\bscope\b/i, 'scope_missing', 'Authorize again with the scopes that this action requires; writes need `write`.'],
];

/** Every error that is identified by more than its HTTP status. */
export const vendorErrors = [...codes, ...messages];

const hints: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'Create a new API key in Linear under Settings > Security & access, or authorize again.',
  forbidden: 'Permission denied. Check the permissions and teams of the key and its user in Linear.',
};

const cursorHint =
  'Pass `meta.endCursor` from the previous page of the same list as `after`. To start over, omit `after`.';

function constraints({ extensions }: GraphqlError): Array<{ path: string; message: string }> {
  const errors: unknown = extensions?.validationErrors;
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error) =>
    Object.values(error?.constraints ?? {}).map((message) => ({
      path: String(error?.property ?? ''),
      message: String(message),
    })),
  );
}

/** A hint that names the exhausted plan limit. */
function quotaHint(extensions: NonNullable<GraphqlError['extensions']>): string {
  const { usageMetric, quota } = extensions.meta ?? {};
  const name = usageMetric ?? quota;
  return `${name ? `This workspace's ${name} limit` : 'A workspace limit'} was reached: archive or delete records, or change the plan.`;
}

function read(error: GraphqlError, { status }: HttpReply): Fault {
  const message = String(error.message ?? 'unknown error');
  const extensions = error.extensions ?? {};
  const type = String(extensions.type ?? '').toLowerCase();
  const name: unknown = extensions.code;
  const isUserError = extensions.userError === true;
  const byMessage = findVendorError(messages, message);
  const byCode = findVendorError(codes, String(name)) ?? findVendorError(codes, type) ?? byMessage;
  const code = byCode?.[1] ?? byStatus[status] ?? 'vendor_error';
  // Errors such as "Entity not found" use the generic code for bad input or missing permissions.
  const isGeneric = code === 'invalid_params' || code === 'forbidden' || code === byMessage?.[1];
  const refined = isGeneric ? byMessage : undefined;
  const finalCode = refined?.[1] ?? code;
  const vendorMessage = String(extensions.userPresentableMessage ?? message);
  const issues = constraints(error);
  const details = issues.map((issue) => issue.message).filter((detail) => !vendorMessage.includes(detail));
  const cursor = finalCode === 'invalid_params' && issues.some(({ path }) => path === 'after');
  return {
    code: finalCode,
    message: `Linear: ${[vendorMessage.replace(/\.$/, ''), ...details].join('; ')}.`,
    hint: cursor
      ? cursorHint
      : finalCode === 'quota_exhausted'
        ? quotaHint(extensions)
        : (refined?.[2] ?? hints[finalCode]),
    vendor: { code: typeof name === 'string' ? name : type || undefined, message },
    issues: issues.length > 0 ? issues : undefined,
    retryable:
      finalCode === 'rate_limited' ||
      (!isUserError &&
        (transientTypes.has(type) ||
          name === 'INTERNAL_SERVER_ERROR' ||
          status === 404 ||
          status === 410 ||
          status >= 500)),
    retryAfterMs: finalCode === 'rate_limited' ? refusedFor(extensions) : undefined,
    // If Linear reports an error that the user must resolve, it has not changed anything.
    mayHaveActed: finalCode === 'vendor_error' && name !== 'GRAPHQL_VALIDATION_FAILED' && !isUserError,
  };
}

/**
 * Parses Linear's error response: body first, since Linear returns 400 for a rate limit and 200 for a missing record.
 *
 * Source: linear.app/developers (graphql, rate-limiting) and the error map of Linear's own SDK.
 */
export function fault(reply: HttpReply): Fault | undefined {
  const [error] = graphqlErrors(reply.body);
  return error && read(error, reply);
}

/** Milliseconds until the bucket refills to the requested amount, if the error identifies the bucket. */
function refusedFor({ duration, limit, remaining, requested }: NonNullable<GraphqlError['extensions']>) {
  const waitMs = ((requested - remaining) / limit) * duration;
  return Number.isFinite(waitMs) ? Math.max(0, Math.ceil(waitMs)) : undefined;
}

/** All budgets are hourly and refill steadily. */
const hour = 3_600_000;

/**
 * Remaining budgets reported by Linear.
 *
 * These are leaky buckets: `Reset` is always an hour away, so waiting for it is pointless.
 *
 * Source: linear.app/developers/rate-limiting; responses observed in 2026, where `remaining` rises by `limit / 3600`
 * per second.
 */
export const budgets = ({ headers }: { readonly headers: Headers }): Budget[] =>
  ['requests', 'complexity', 'endpoint-requests'].flatMap((name) => {
    const header = (part: string) => headers.get(`x-ratelimit-${name}-${part}`);
    const [remaining, resetsAt, limit] = [header('remaining'), header('reset'), header('limit')];
    if (!remaining || !resetsAt || !Number.isFinite(Number(resetsAt))) return [];
    const endpoint = name === 'endpoint-requests';
    const cost = name === 'complexity' ? Number(headers.get('x-complexity')) : 1;
    return [
      {
        name: endpoint ? `${name} ${headers.get('x-ratelimit-endpoint-name') ?? ''}`.trim() : name,
        remaining: Number(remaining),
        limit: limit ? Number(limit) : null,
        resetsAt: Number(resetsAt),
        refillMs: hour,
        cost: cost > 0 ? cost : 1,
        ...(endpoint && { endpoint }),
      },
    ];
  });
