import { ConnectorResponse, ErrorResponse, OrganizationResponse, WorkspaceResponse } from 'agent-connectors/wire';
import * as z from 'zod';
import { VERSION } from '../../version.js';
import type { Route } from './route.js';

type Json = Record<string, unknown>;

const componentSchemas = {
  Connector: ConnectorResponse,
  Error: ErrorResponse,
  Organization: OrganizationResponse,
  Workspace: WorkspaceResponse,
} as const;

function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io,
    reused: 'inline',
    unrepresentable: 'any',
    override: ({ jsonSchema: made }) => adaptToGenerators(made),
  });
  // Removes the methods that zod attaches, and allows additional properties, since responses may gain fields.
  const open = (key: string, value: unknown) =>
    io === 'output' && key === 'additionalProperties' && value === false ? undefined : value;
  return JSON.parse(JSON.stringify(json), open) as Json;
}

/**
 * Rewrites what client generators read differently: integers without a format become 32 bits wide, and openapi-generator
 * writes Go that does not compile for a type that is only null, or for a choice between an object and null.
 */
function adaptToGenerators(made: z.core.JSONSchema.BaseSchema): void {
  if (made.type === 'integer') {
    made.format = 'int64';
    if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
    if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
  }
  // Without it, openapi-typescript reads an object with any properties as one that has none; without a description,
  // openapi-generator makes its values pointers in Go.
  if (made.type === 'object' && !made.properties && !made.additionalProperties) made.additionalProperties = anyValue;
  if (isEmpty(made.additionalProperties)) made.additionalProperties = anyValue;
  for (const property of Object.values(made.properties ?? {})) {
    if (typeof property === 'object' && property.type === 'null') property.type = ['string', 'null'] as never;
  }
  const [first, second, third] = made.anyOf ?? [];
  if (third || first?.$ref || typeof first?.type !== 'string' || second?.type !== 'null') return;
  delete made.anyOf;
  Object.assign(made, first, { type: [first.type, 'null'] });
}

const anyValue = { description: 'Any value.' } as const;

const isEmpty = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;

function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output'): Json {
  const name = Object.entries(componentSchemas).find(([, known]) => known === schema)?.[0];
  return name === undefined ? jsonSchema(schema, io) : { $ref: `#/components/schemas/${name}` };
}

const reasons: Readonly<Record<number, string>> = {
  400: 'The body is not well-formed JSON, or the token has several organizations and none was selected.',
  401: 'The token or secret is invalid.',
  403: 'The token’s scope, organization or workspace does not allow this, the vendor refused the action, or the Host header is unknown.',
  404: 'Not found.',
  405: 'Method not allowed.',
  409: 'The name is taken, the Idempotency-Key was used for another write, or the plan can no longer be approved or executed.',
  410: 'Changes since the cursor may have been forgotten.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The body or query is invalid; see errors.',
  424: 'The vendor rejected the stored credentials, or none are stored.',
  429: 'Too many requests; see Retry-After.',
  500: 'Internal error.',
  502: 'The vendor returned an internal error or could not be reached, or the outcome of a write is unknown.',
  503: 'The service is not ready, overloaded or shutting down.',
  504: 'The vendor timed out.',
};

/** The OpenAPI 3.1 document of these routes. */
export function openApi(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'agent-connectors-service',
      version: VERSION,
      description: 'Stores connectors to business systems and runs their actions.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(componentSchemas).map(([name, schema]) => [name, jsonSchema(schema, 'output')]),
      ),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

function operation(route: Route): Json {
  const { operationId, summary, body } = route;
  return {
    operationId,
    summary,
    security: securityOf(route),
    parameters: parametersOf(route),
    ...(body && {
      requestBody: {
        required: !route.optionalBody,
        // The form that some routes also accept is omitted: generated clients import one type of body per operation.
        content: {
          'application/json': { schema: schemaOf(body, 'input') },
        },
      },
    }),
    responses: responsesOf(route),
  };
}

/** Security schemes, each with the scopes the token needs. */
function securityOf({ access, tokenScope }: Route): Json[] {
  if (access === 'anyone') return [];
  if (tokenScope === 'effect') return [{ token: ['read'] }, { token: ['write'] }];
  return [{ token: tokenScope === null ? [] : [tokenScope] }];
}

function parametersOf({ path, query, access, headers = {} }: Route): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const { properties = {}, required = [] } = query
    ? (jsonSchema(query, 'input') as { properties?: Record<string, Json>; required?: readonly string[] })
    : {};
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: Object.keys(schema).length === 0 ? { type: 'integer' } : schema,
  }));
  const organization = {
    'X-Organization-Id': 'The organization to act in; required if the token has several.',
  };
  const inHeader = Object.entries({ ...(access === 'anyone' ? {} : organization), ...headers }).map(
    ([name, description]) => ({ name, in: 'header', required: false, description, schema: { type: 'string' } }),
  );
  return [...inPath, ...inQuery, ...inHeader];
}

function responsesOf({ access, body, query, response, media = [], errors = [] }: Route): Json {
  const commonStatuses = [
    ...(access === 'anyone' ? [] : [400, 401, 403, 429, 503]),
    ...(body ? [400, 413, 415, 422] : []),
    ...(query ? [422] : []),
    ...errors,
    500,
  ];
  const content = {
    ...(response && { 'application/json': { schema: schemaOf(response, 'output') } }),
    ...Object.fromEntries(media.map((type) => [type, { schema: { type: 'string' } }])),
  };
  const failure = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } };
  return Object.fromEntries([
    ['200', { description: 'Done.', content }],
    ...[...new Set(commonStatuses)]
      .sort()
      .map((status) => [String(status), { description: reasons[status] ?? '', ...failure }]),
  ]);
}
