import { GraphQLError } from 'graphql';

/** An argument that failed validation. */
export interface FailedCheck {
  property: string;
  constraints: Record<string, string>;
}

function graphqlError(message: string, extensions: Record<string, unknown>): GraphQLError {
  return new GraphQLError(message, { extensions });
}

function userError(message: string, code: string, type: string, shown: string, more: object = {}): GraphQLError {
  return graphqlError(message, {
    type,
    code,
    statusCode: 400,
    userError: true,
    userPresentableMessage: shown,
    ...more,
  });
}

/** Linear's response is the same whether an entity is missing or not visible to the caller. */
export function notFound(type: string): GraphQLError {
  const shown = `Could not find referenced ${type}.`;
  return userError(`Entity not found: ${type}`, 'INPUT_ERROR', 'invalid input', shown);
}

/** A client-supplied id that is already in use. */
export function idTaken(type: string, id: string): GraphQLError {
  const shown = `Entity ${type} with id ${id} already exists.`;
  return userError(`conflict on insert of ${type}`, 'INPUT_ERROR', 'invalid input', shown);
}

/** A limit of the plan has been reached; this error has no type. */
export function usageLimitExceeded(usageMetric: string): GraphQLError {
  return graphqlError('usage limit exceeded', {
    code: 'USAGE_LIMIT_EXCEEDED',
    statusCode: 400,
    userError: true,
    userPresentableMessage: "You've exceeded the free issue limit for this workspace. Please upgrade.",
    meta: { usageMetric },
  });
}

/** A limit that applies to all plans has been reached. Linear reports it as an internal error. */
export function quotaExceeded(quota: string, shown: string): GraphQLError {
  return userError('quota exceeded', 'QUOTA_EXCEEDED', 'internal error', shown, { meta: { quota } });
}

/** An invalid argument. */
export function invalidArgument(checks: readonly FailedCheck[]): GraphQLError {
  const shown = checks.flatMap((check) => Object.values(check.constraints)).join(', ');
  return userError('Argument Validation Error', 'INVALID_INPUT', 'invalid input', `${shown}.`, {
    validationErrors: checks.map((check) => ({ ...check, children: [] })),
  });
}

/** Valid arguments that conflict with each other. */
export function inputError(message: string, shown = message): GraphQLError {
  return userError(message, 'INPUT_ERROR', 'invalid input', shown);
}

/** A missing permission; Linear's exact status for it has not been recorded. */
export function forbidden(permission: string): GraphQLError {
  const message = `Invalid scope: \`${permission}\` required`;
  return graphqlError(message, {
    type: 'forbidden',
    code: 'FORBIDDEN',
    statusCode: 403,
    userError: true,
    userPresentableMessage: `This credential is missing the ${permission} permission.`,
  });
}

/** Linear's internal errors. */
export function serverError(type: 'internal error' | 'lock timeout'): GraphQLError {
  const internal = type === 'internal error';
  return graphqlError(internal ? 'Internal server error' : 'Could not acquire a lock in time', {
    type,
    code: internal ? 'INTERNAL_SERVER_ERROR' : 'LOCK_TIMEOUT',
    statusCode: internal ? 500 : 409,
    userError: false,
  });
}

/** Errors before a document runs, with their HTTP status. */
export const requestErrors = {
  noCredential: () =>
    graphqlError('Authentication required, not authenticated', {
      type: 'authentication error',
      code: 'AUTHENTICATION_ERROR',
      statusCode: 401,
      userError: true,
      userPresentableMessage: 'You need to authenticate to access this operation.',
      meta: {},
      http: { status: 401 },
    }),
  keyAsBearer: () => {
    const shown = `It looks like you're trying to use an API key as a Bearer token. Remove the Bearer prefix from the Authorization header.`;
    return userError(shown, 'INPUT_ERROR', 'invalid input', shown);
  },
  badRequest: (message: string) => userError(message, 'BAD_REQUEST', 'invalid input', message),
  tooComplex: (complexity: number, allowed: number) => {
    const shown = `The query is too complex. Complexity: ${complexity}. Maximum allowed complexity: ${allowed}.`;
    return userError('Query too complex', 'INPUT_ERROR', 'invalid input', shown, { http: { status: 400 } });
  },
  rateLimited: (allowed: number, unit: string) => {
    const message = `Rate limit exceeded. Only ${allowed} ${unit} are allowed per 1 hour. For more information see our developer docs at: https://linear.app/developers/rate-limiting`;
    return graphqlError(message, {
      type: 'ratelimited',
      code: 'RATELIMITED',
      statusCode: 429,
      userError: true,
      userPresentableMessage: message,
      http: { status: 400 },
    });
  },
  invalidDocument: (error: GraphQLError, code: string) =>
    new GraphQLError(error.message, {
      nodes: error.nodes ?? null,
      source: error.source ?? null,
      positions: error.positions ?? null,
      path: error.path ?? null,
      extensions: { type: 'graphql error', code, statusCode: 400, userError: true },
    }),
};

/** The types in Linear's SDK; some errors have a type but no code. */
const types = [
  'authentication error',
  'ratelimited',
  'forbidden',
  'feature not accessible',
  'usage limit exceeded',
  'invalid input',
  'user error',
  'internal error',
  'lock timeout',
  'network error',
  'bootstrap error',
];

/** Errors by the reason of the fault `refused`. */
export const refusals: Readonly<Record<string, () => GraphQLError>> = {
  AUTHENTICATION_ERROR: requestErrors.noCredential,
  RATELIMITED: () => requestErrors.rateLimited(2500, 'requests'),
  FORBIDDEN: () =>
    graphqlError('Forbidden', { type: 'forbidden', code: 'FORBIDDEN', statusCode: 403, userError: true }),
  USAGE_LIMIT_EXCEEDED: () => usageLimitExceeded('issues'),
  QUOTA_EXCEEDED: () => quotaExceeded('comments', 'This issue has too many comments.'),
  INPUT_ERROR: () => inputError('Discrepancy between issue team and state, cycle or project'),
  INVALID_INPUT: () => invalidArgument([{ property: 'first', constraints: { max: 'first must not exceed 250' } }]),
  GRAPHQL_VALIDATION_FAILED: () =>
    requestErrors.invalidDocument(new GraphQLError('Cannot query field.'), 'GRAPHQL_VALIDATION_FAILED'),
  INTERNAL_SERVER_ERROR: () => serverError('internal error'),
  'entity not found': () => notFound('Issue'),
  'id taken': () => idTaken('Issue', '00000000-0000-4000-8000-000000000000'),
  'key as bearer': requestErrors.keyAsBearer,
  'missing scope': () => forbidden('write'),
  'too complex': () => requestErrors.tooComplex(20_000, 10_000),
  ...Object.fromEntries(types.map((type) => [type, () => graphqlError(`Linear: ${type}`, { type })])),
};
