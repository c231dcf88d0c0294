import { type ExecutionResult, execute, type GraphQLError } from 'graphql';
import type { FaultRule } from '../faults.js';
import type { VendorReply, VendorRequest } from '../vendor.js';
import { allowedComplexity, type Buckets, type CredentialMode } from './buckets.js';
import type { LinearContext } from './context.js';
import type { Grant } from './credentials.js';
import { compile, noOperation } from './document.js';
import { refused, serverError } from './errors.js';
import { linearSchema } from './schema.js';

/** What a request says in its body. */
export interface GraphQLBody {
  query: string;
  variables: Record<string, unknown>;
  operationName: string | undefined;
}

/** The endpoint's surroundings for one request. */
export interface Endpoint {
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
  headers?: Record<string, string>;
}

/** Reads a request's body, or tells what is wrong with it. */
export function readBody(text: string): GraphQLBody | string {
  let body: any;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return `The body is not JSON: ${(error as Error).message}`;
  }
  if (typeof body?.query !== 'string') return 'The body must be a JSON object with a string named query.';
  const variables = body.variables ?? {};
  if (typeof variables !== 'object' || Array.isArray(variables)) return 'The variables must be a JSON object.';
  return { query: body.query, variables, operationName: body.operationName ?? undefined };
}

/** Answers a POST to /graphql. */
export function answerGraphQL(request: VendorRequest, body: GraphQLBody | string, endpoint: Endpoint): VendorReply {
  const { grant, buckets, now } = endpoint;
  const mode: CredentialMode = grant?.mode ?? 'anonymous';
  const owner = grant ? `${mode}:${grant.person}` : mode;
  const { status, body: answer, complexity, headers } = outcomeOf(request, body, endpoint, owner, mode);
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...buckets.headers(owner, mode, complexity, now),
      ...headers,
    },
    body: JSON.stringify(answer),
  };
}

function outcomeOf(
  request: VendorRequest,
  body: GraphQLBody | string,
  { grant, buckets, now, fault, context }: Endpoint,
  owner: string,
  mode: CredentialMode,
): Outcome {
  const authorization = request.headers.get('authorization') ?? '';
  if (/^Bearer lin_api_/i.test(authorization)) return refusal(400, refused.keyAsBearer());
  const isOpenToAll =
    authorization === '' &&
    typeof body !== 'string' &&
    compile(body.query).operation(body.operationName)?.isIntrospection === true;
  if ((!grant && !isOpenToAll) || fault?.kind === 'expired_token') return refusal(401, refused.noCredential());
  if (fault?.kind === 'rate_limited') return struckLimit(buckets.limitsOf(mode).requestsPerHour, now, fault);
  if (!buckets.take(owner, mode, 'requests', 1, now)) {
    return refusal(400, refused.rateLimited(buckets.limitsOf(mode).requestsPerHour, 'requests'));
  }
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(request.headers.get('content-type') ?? '');
  if (!isJson) return refusal(400, refused.badRequest('The content type must be application/json.'));
  if (typeof body === 'string') return refusal(400, refused.badRequest(body));

  const compiled = compile(body.query);
  if (compiled.errors) return { status: 400, body: { errors: compiled.errors }, complexity: 0 };
  const operation = compiled.operation(body.operationName);
  if (!operation) return refusal(400, noOperation());
  const complexity = operation.cost(body.variables);
  if (complexity > allowedComplexity)
    return refusal(400, refused.tooComplex(complexity, allowedComplexity), complexity);
  if (!buckets.take(owner, mode, 'complexity', complexity, now)) {
    const limit = buckets.limitsOf(mode).complexityPerHour;
    return refusal(400, refused.rateLimited(limit, 'points of complexity'), complexity);
  }

  const run = () =>
    execute({
      schema: linearSchema(),
      document: compiled.document!,
      variableValues: body.variables,
      operationName: body.operationName ?? null,
      contextValue: grant && context(grant),
    }) as ExecutionResult;
  return { complexity, ...perform(run, fault, operation.rootField) };
}

function perform(run: () => ExecutionResult, fault: FaultRule | undefined, rootField: string | undefined) {
  const ofServer = { '500': 'internal error', internal_error: 'internal error', lock_timeout: 'lock timeout' } as const;
  const kind = fault?.kind ?? '';
  if (kind in ofServer) {
    if (fault?.applied) run();
    const error = serverError(ofServer[kind as keyof typeof ofServer]).toJSON();
    return { status: kind === '500' ? 500 : 200, body: { data: null, errors: [{ ...error, path: [rootField] }] } };
  }
  const { data, errors } = run();
  if (errors && data === undefined) {
    // Variables that do not fit their types stop the document before it runs.
    return { status: 400, body: { errors: errors.map((error) => refused.invalidDocument(error, 'BAD_USER_INPUT')) } };
  }
  const partial = kind === 'partial_data' ? [{ ...serverError('internal error').toJSON(), path: [rootField] }] : [];
  const all = [...(errors ?? []), ...partial];
  return { status: 200, body: { data, ...(all.length > 0 && { errors: all }) } };
}

function refusal(status: number, error: GraphQLError, complexity = 0): Outcome {
  return { status, body: { errors: [error] }, complexity };
}

function struckLimit(limit: number, now: number, { retryAfter }: FaultRule): Outcome {
  const reset = String(Math.ceil(now + (retryAfter ?? 1) * 1000));
  return {
    ...refusal(400, refused.rateLimited(limit, 'requests')),
    headers: {
      'x-ratelimit-requests-remaining': '0',
      'x-ratelimit-requests-reset': reset,
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    },
  };
}
