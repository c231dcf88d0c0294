import { GraphQLError } from 'graphql';

/** One failed check of an argument. */
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

/** No such object, or none that the credential may see: Linear makes no difference. */
export function notFound(type: string): GraphQLError {
  const shown = `Could not find referenced ${type}.`;
  return userError(`Entity not found: ${type}`, 'INPUT_ERROR', 'invalid input', shown);
}

/** A client's own id that has been used before. */
export function idTaken(type: string, id: string): GraphQLError {
  const shown = `Entity ${type} with id ${id} already exists.`;
  return userError(`conflict on insert of ${type}`, 'INPUT_ERROR', 'invalid input', shown);
}

/** A limit of the plan is reached; this error has no type. */
export function usageLimitExceeded(usageMetric: string): GraphQLError {
  return graphqlError('usage limit exceeded', {
    code: 'USAGE_LIMIT_EXCEEDED',
    statusCode: 400,
    userError: true,
    userPresentableMessage: "You've exceeded the free issue limit for this workspace. Please upgrade.",
    meta: { usageMetric },
  });
}

/** A limit that all plans have is reached. Linear gives it the type of its own faults. */
export function quotaExceeded(quota: string, shown: string): GraphQLError {
  return userError('quota exceeded', 'QUOTA_EXCEEDED', 'internal error', shown, { meta: { quota } });
}

/** An argument that breaks the rules for it. */
export function invalidArgument(checks: readonly FailedCheck[]): GraphQLError {
  const shown = checks.flatMap((check) => Object.values(check.constraints)).join(', ');
  return userError('Argument Validation Error', 'INVALID_INPUT', 'invalid input', `${shown}.`, {
    validationErrors: checks.map((check) => ({ ...check, children: [] })),
  });
}

/** Arguments that are each well formed but do not go together. */
export function inputError(message: string, shown = message): GraphQLError {
  return userError(message, 'INPUT_ERROR', 'invalid input', shown);
}

/** A credential without the permission; Linear's exact status for it has not been seen recorded. */
export function forbidden(permission: string): GraphQLError {
  const message = `Invalid scope: \`${permission}\` required`;
  return graphqlError(message, {
    type: 'forbidden',
    code: 'FORBIDDEN',
    statusCode: 403,
    userError: true,
    userPresentableMessage: `This credential lacks the ${permission} permission.`,
  });
}

/** The errors that are Linear's own fault. */
export function serverError(type: 'internal error' | 'lock timeout'): GraphQLError {
  const internal = type === 'internal error';
  return graphqlError(internal ? 'Internal server error' : 'Could not acquire a lock in time', {
    type,
    code: internal ? 'INTERNAL_SERVER_ERROR' : 'LOCK_TIMEOUT',
    statusCode: internal ? 500 : 409,
    userError: false,
  });
}

/** Refusals that come before any document runs, with the status that carries them. */
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
