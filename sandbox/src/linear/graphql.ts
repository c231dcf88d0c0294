import { type ExecutionResult, execute, type GraphQLError } from 'graphql';
import type { FaultRule } from '../faults.js';
import type { VendorReply, VendorRequest } from '../vendor.js';
import { type Buckets, type CredentialMode, maxComplexity } from './buckets.js';
import type { LinearContext } from './context.js';
import type { Grant } from './credentials.js';
import { compile, missingOperationError } from './document.js';
import { refusals, requestErrors, serverError } from './errors.js';
import { linearSchema } from './schema.js';

/** A GraphQL request body. */
export interface GraphQLBody {
  query: string;
  variables: Record<string, unknown>;
  operationName: string | undefined;
}

/** Per-request context of the endpoint. */
export interface EndpointContext {
  grant: Grant | undefined;
  buckets: Buckets;
  now: number;
  fault: FaultRule | undefined;
  context(grant: Grant): LinearContext;
}

interface Outcome {
  status: number;
  body: { data?: unknown; errors?: readonly unknown[] };
  complexity: number;
  /** The root field, once the document is known to be valid. */
  rootField?: string | undefined;
  headers?: Record<string, string>;
}

/** Parses a request body, or describes its error. */
export function readBody(text: string): GraphQLBody | string {
  let body: any;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return `The body is not JSON: ${(error as Error).message}`;
  }
  if (typeof body?.query !== 'string') return 'The body must be a JSON object with a string property named query.';
  const variables = body.variables ?? {};
  if (typeof variables !== 'object' || Array.isArray(variables)) return 'The variables must be a JSON object.';
  return { query: body.query, variables, operationName: body.operationName ?? undefined };
}

/** Handles a POST to /graphql. */
export function answerGraphQL(
  request: VendorRequest,
  body: GraphQLBody | string,
  endpoint: EndpointContext,
): VendorReply {
  const { grant, buckets, now } = endpoint;
  const mode: CredentialMode = grant?.mode ?? 'anonymous';
  const owner = grant ? `${mode}:${grant.person}` : mode;
  const { status, body: answer, headers, ...cost } = outcomeOf(request, body, endpoint, owner, mode);
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...buckets.headers(owner, mode, cost, now),
      ...headers,
    },
    body: JSON.stringify(answer),
  };
}

function outcomeOf(
  request: VendorRequest,
  body: GraphQLBody | string,
  { grant, buckets, now, fault, context }: EndpointContext,
  owner: string,
  mode: CredentialMode,
): Outcome {
  const authorization = request.headers.get('authorization') ?? '';
  if (/^Bearer lin_api_/i.test(authorization)) return errorOutcome(400, requestErrors.keyAsBearer());
  const isOpenToAll =
    authorization === '' &&
    typeof body !== 'string' &&
    compile(body.query).operation(body.operationName)?.isIntrospection === true;
  if ((!grant && !isOpenToAll) || fault?.kind === 'expired_token')
    return errorOutcome(401, requestErrors.noCredential());
  if (fault?.kind === 'rate_limited') return rateLimitOutcome(buckets.limitOf(mode, 'requests')!, fault);
  if (!buckets.take(owner, mode, 'requests', 1, now)) {
    return errorOutcome(400, requestErrors.rateLimited(buckets.limitOf(mode, 'requests')!, 'requests'));
  }
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(request.headers.get('content-type') ?? '');
  if (!isJson) return errorOutcome(400, requestErrors.badRequest('The content type must be application/json.'));
  if (typeof body === 'string') return errorOutcome(400, requestErrors.badRequest(body));

  const compiled = compile(body.query);
  if (compiled.errors) return { status: 400, body: { errors: compiled.errors }, complexity: 0 };
  const operation = compiled.operation(body.operationName);
  if (!operation) return errorOutcome(400, missingOperationError());
  const complexity = operation.cost(body.variables);
  if (complexity > maxComplexity)
    return errorOutcome(400, requestErrors.tooComplex(complexity, maxComplexity), { complexity });
  const { rootField = '' } = operation;
  for (const [kind, cost, unit] of [
    ['complexity', complexity, 'points of complexity'],
    [rootField, 1, `requests to ${rootField}`],
  ] as const) {
    if (buckets.take(owner, mode, kind, cost, now)) continue;
    const error = requestErrors.rateLimited(buckets.limitOf(mode, kind)!, unit);
    return errorOutcome(400, error, { complexity, rootField });
  }

  const run = () =>
    execute({
      schema: linearSchema(),
      document: compiled.document!,
      variableValues: body.variables,
      operationName: body.operationName ?? null,
      contextValue: grant && context(grant),
    }) as ExecutionResult;
  return { complexity, rootField, ...perform(run, fault, rootField) };
}

function perform(run: () => ExecutionResult, fault: FaultRule | undefined, rootField: string | undefined) {
  const serverErrorTypes = {
    '500': 'internal error',
    internal_error: 'internal error',
    lock_timeout: 'lock timeout',
  } as const;
  const kind = fault?.kind ?? '';
  if (kind in serverErrorTypes) {
    if (fault?.applied) run();
    const error = serverError(serverErrorTypes[kind as keyof typeof serverErrorTypes]).toJSON();
    return { status: kind === '500' ? 500 : 200, body: { data: null, errors: [{ ...error, path: [rootField] }] } };
  }
  if (fault?.kind === 'refused') {
    const error = (refusals[fault.reason ?? ''] ?? refusals.FORBIDDEN!)();
    const headers = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
    return { status: statusOf(error, fault), headers, body: { data: null, errors: [error] } };
  }
  const { data, errors } = run();
  if (errors && data === undefined) {
    // Invalid variables prevent the document from running.
    return {
      status: 400,
      body: { errors: errors.map((error) => requestErrors.invalidDocument(error, 'BAD_USER_INPUT')) },
    };
  }
  const partial = kind === 'partial_data' ? [{ ...serverError('internal error').toJSON(), path: [rootField] }] : [];
  const all = [...(errors ?? []), ...partial];
  return { status: 200, body: { data, ...(all.length > 0 && { errors: all }) } };
}

/** Linear returns 200 for most errors of a valid document. */
const statusOf = ({ extensions }: GraphQLError, { status }: FaultRule): number =>
  status ?? (extensions.http as { readonly status: number } | undefined)?.status ?? 200;

function errorOutcome(
  status: number,
  error: GraphQLError,
  cost: { complexity: number; rootField?: string } = { complexity: 0 },
): Outcome {
  return { status, body: { errors: [error] }, ...cost };
}

function rateLimitOutcome(limit: number, { retryAfter }: FaultRule): Outcome {
  return {
    ...errorOutcome(400, requestErrors.rateLimited(limit, 'requests')),
    headers:
      retryAfter === undefined ? { 'x-ratelimit-requests-remaining': '0' } : { 'retry-after': String(retryAfter) },
  };
}
