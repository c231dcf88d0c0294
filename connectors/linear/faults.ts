import {
  type Budget,
  type ErrorCode,
  type Fault,
  type GraphqlError,
  graphqlErrors,
  type HttpReply,
} from '../../src/authoring.js';

/** Linear's `extensions.code` values that are specific enough to use. */
const byCode: Readonly<Record<string, ErrorCode>> = {
  AUTHENTICATION_ERROR: 'unauthorized',
  RATELIMITED: 'rate_limited',
  FORBIDDEN: 'forbidden',
  USAGE_LIMIT_EXCEEDED: 'quota_exhausted',
  QUOTA_EXCEEDED: 'quota_exhausted',
  INPUT_ERROR: 'invalid_params',
  INVALID_INPUT: 'invalid_params',
  GRAPHQL_VALIDATION_FAILED: 'vendor_error',
  INTERNAL_SERVER_ERROR: 'vendor_error',
};

/** Linear's `extensions.type` values, as listed in its SDK. */
const byType: Readonly<Record<string, ErrorCode>> = {
  'authentication error': 'unauthorized',
  ratelimited: 'rate_limited',
  forbidden: 'forbidden',
  'feature not accessible': 'forbidden',
  'usage limit exceeded': 'quota_exhausted',
  'invalid input': 'invalid_params',
  'user error': 'invalid_params',
  'internal error': 'vendor_error',
  'lock timeout': 'vendor_error',
  'network error': 'vendor_error',
};

const lookUpCode = (table: Readonly<Record<string, ErrorCode>>, name: string): ErrorCode | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Transient failures, unless Linear attributes them to the user. */
const transientTypes = new Set(['internal error', 'lock timeout', 'network error']);

const byStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
};

/** Codes derived from messages, for errors without a specific code. */
function byMessage(message: string): Pick<Fault, 'code' | 'hint'> | undefined {
  if (/^Entity not found/i.test(message)) {
    return {
      code: 'not_found',
      hint: 'The record does not exist or is not visible to this key. A key can be restricted to certain teams.',
    };
  }
  if (/^conflict on insert/i.test(message)) return { code: 'conflict' };
  if (/API key as a Bearer token/i.test(message)) {
    return { code: 'unauthorized', hint: 'Pass a personal API key as `api_key`, or an OAuth token as `access_token`.' };
  }
  if (/^(Rate limit exceeded|rate limited)/i.test(message)) return { code: 'rate_limited' };
  if (/^(usage limit|quota) exceeded/i.test(message)) return { code: 'quota_exhausted' };
  if (/too complex/i.test(message)) return { code: 'too_large', hint: 'Request fewer records with a smaller `first`.' };
  if (/\bscope\b/i.test(message)) {
    return {
      code: 'scope_missing',
      hint: 'Authorize again with the scopes that this action requires; writes need `write`.',
    };
  }
  return undefined;
}

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
  const messageFault = byMessage(message);
  const code =
    lookUpCode(byCode, String(name)) ??
    lookUpCode(byType, type) ??
    messageFault?.code ??
    byStatus[status] ??
    'vendor_error';
  // Errors such as "Entity not found" use the generic code for bad input or missing permissions.
  const refined =
    messageFault && (code === 'invalid_params' || code === 'forbidden' || code === messageFault.code)
      ? messageFault
      : undefined;
  const vendorMessage = String(extensions.userPresentableMessage ?? message);
  const issues = constraints(error);
  const details = issues.map((issue) => issue.message).filter((detail) => !vendorMessage.includes(detail));
  const finalCode = refined?.code ?? code;
  const cursor = finalCode === 'invalid_params' && issues.some(({ path }) => path === 'after');
  return {
    code: finalCode,
    message: `Linear: ${[vendorMessage.replace(/\.$/, ''), ...details].join('; ')}.`,
    hint: cursor
      ? cursorHint
      : finalCode === 'quota_exhausted'
        ? quotaHint(extensions)
        : (refined?.hint ?? hints[finalCode]),
    vendor: { code: typeof name === 'string' ? name : type || undefined, message },
    issues: issues.length > 0 ? issues : undefined,
    retryable:
      finalCode === 'rate_limited' ||
      (!isUserError && (transientTypes.has(type) || name === 'INTERNAL_SERVER_ERROR' || status >= 500)),
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
