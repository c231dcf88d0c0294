import * as z from 'zod';
import { VERSION } from '../../version.js';
import { ErrorResponse } from './error-schema.js';
import type { Route } from './route.js';
import { ConnectorResponse, OrganizationResponse, WorkspaceResponse } from './schemas.js';

type Json = Record<string, unknown>;

const componentSchemas = {
  Connector: ConnectorResponse,
  Error: ErrorResponse,
  Organization: OrganizationResponse,
  Workspace: WorkspaceResponse,
} as const;

function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...json } = z.toJSONSchema(schema, { io, reused: 'inline', unrepresentable: 'any' });
  // The methods that zod hangs on its output are no part of the JSON; and answers may gain fields.
  const open = (key: string, value: unknown) =>
    io === 'output' && key === 'additionalProperties' && value === false ? undefined : value;
  return JSON.parse(JSON.stringify(json), open) as Json;
}

function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output'): Json {
  const name = Object.entries(componentSchemas).find(([, known]) => known === schema)?.[0];
  return name === undefined ? jsonSchema(schema, io) : { $ref: `#/components/schemas/${name}` };
}

const reasons: Readonly<Record<number, string>> = {
  400: 'The body is not well-formed JSON, or several organizations are reached and none is named.',
  401: 'The token, or the secret, is not valid.',
  403: 'The token has no scope for it, the organization is not the token’s, the token is for one workspace alone, the vendor refuses the action, or the service does not go by the name in Host.',
  404: 'There is no such thing, or it is another’s.',
  405: 'The path has other methods.',
  409: 'The name is taken, the Idempotency-Key stands for another write, or the plan cannot be approved or carried out any more.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'What the body or the query holds is wrong; errors says where.',
  424: 'The vendor refused the stored credentials, or there are none.',
  429: 'Too many requests; Retry-After says when to come again.',
  500: 'The service failed.',
  502: 'The vendor failed, could not be reached, or left open what became of a write.',
  503: 'The service is not ready, too busy, or being stopped.',
  504: 'The vendor took too long.',
};

/** The reference of these routes, as an OpenAPI 3.1 document. */
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
      description: 'Holds connectors to business systems and runs their actions.',
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
        content: { 'application/json': { schema: schemaOf(body, 'input') } },
      },
    }),
    responses: responsesOf(route),
  };
}

/** The ways in, each with the scopes that the token needs. */
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
  const { properties = {} } = query ? (jsonSchema(query, 'input') as { properties?: Record<string, Json> }) : {};
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    ...(description !== undefined && { description }),
    schema: Object.keys(schema).length === 0 ? { type: 'integer' } : schema,
  }));
  const organization = {
    'X-Organization-Id': 'The organization to act in; needed where the token reaches several.',
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
    ...(media.includes('application/octet-stream')
      ? [['206', { description: 'The part that was asked for.', content }]]
      : []),
    ...[...new Set(commonStatuses)]
      .sort()
      .map((status) => [String(status), { description: reasons[status] ?? '', ...failure }]),
  ]);
}
