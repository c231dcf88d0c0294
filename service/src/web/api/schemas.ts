import * as z from 'zod';
import { tokenScopes } from '../../data/state/rows.js';
import { identifier, label, newLabel, newPathLabel } from './input.js';
import { PageQuery } from './paging.js';

// Not a record schema, because that would drop the `__proto__` key and copy what the library validates anyway.
/** Schema of an object that is validated elsewhere. */
export const anyObject = (description: string) =>
  z
    .custom<Record<string, unknown>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      'must be an object',
    )
    .meta({ type: 'object', description });

/** Schema of an instant. */
export const instant = z.iso.datetime();

const paths = (description: string) =>
  z.array(z.string().min(1).max(500)).min(1).max(500).optional().describe(description);

/** A record with one value type and a limited number of fields, so that validating all of them is fast. */
const fewFields = <T extends object>(fields: z.ZodType<T, T>, type: string, description: string) =>
  z
    .custom<T>(
      (given) => typeof given !== 'object' || given === null || Object.keys(given).length <= 100,
      'must have at most 100 fields',
    )
    .meta({ type: 'object', additionalProperties: { type } })
    .pipe(fields)
    .describe(description);

const credentials = fewFields(
  z.record(z.string(), z.string()),
  'string',
  'The fields of exactly one of the connector type’s credential modes.',
);
/** Schema of the replication config. */
export const replicationConfig = anyObject(
  'Replication settings: interval, entities, and fields specific to the connector type.',
);
/** Schema of connector-specific settings. */
export const settings = fewFields(
  // Names are checked against the connector type first, then values.
  z.record(z.string(), z.custom<boolean>()),
  'boolean',
  'Settings for the connector type, such as includePrivate.',
);

/** Body of a request to create a connector. */
export const NewConnectorRequest = z
  .strictObject({
    workspace_name: label('The connector’s workspace.'),
    connector_type: identifier(200).optional().describe('Type name, such as linear.'),
    definition_id: identifier(200).optional().describe('The id of the type, as an alternative to its name.'),
    name: newLabel('Unique in the workspace (default: the type’s title).').optional(),
    credentials: credentials.optional(),
    replication_config: replicationConfig.optional(),
    settings: settings.optional(),
  })
  .refine((body) => (body.connector_type === undefined) !== (body.definition_id === undefined), {
    error: 'exactly one of connector_type and definition_id is required',
  });

/** Body of a request to change a connector. */
export const ConnectorChangesRequest = z.strictObject({
  name: newLabel('The new name.').optional(),
  credentials: credentials.optional(),
  replication_config: replicationConfig.nullable().optional(),
  settings: settings.optional(),
});

/** Query parameters for listing connectors. */
export const ConnectorsQuery = z.strictObject({
  workspace_name: label('Only connectors in this workspace.').optional(),
  connector_type: identifier(200).optional(),
  definition_id: identifier(200).optional(),
  ...PageQuery.shape,
});

/** Query parameters for listing workspaces. */
export const WorkspacesQuery = z.strictObject({
  name_contains: label('Name filter (substring, ASCII case-insensitive).').optional(),
  ...PageQuery.shape,
});

/** Body of a request to run an action. */
export const ExecuteRequest = z.strictObject({
  entity: z.string().max(200),
  action: z.string().max(200),
  params: anyObject('Action parameters.').optional(),
  select_fields: paths('Dotted paths of the fields to keep.'),
  exclude_fields: paths('Dotted paths of the fields to omit.'),
  view: z
    .enum(['concise', 'full'])
    .optional()
    .describe('concise returns only the main fields (default full). select_fields takes precedence.'),
  skip_truncation: z
    .boolean()
    .optional()
    .describe('false truncates strings in lists and searches to 200 characters (default true).'),
  raw: z.boolean().optional().describe('true adds vendor fields not in the schema.'),
  intent: z.string().max(512).optional().describe('Reason recorded in the audit log.'),
  dry_run: z
    .boolean()
    .optional()
    .describe('true prepares a write and returns the request as plan, without sending it.'),
  plan: anyObject('A plan from dry_run: executed exactly as planned or rejected with 409.').optional(),
  plan_id: identifier(100)
    .optional()
    .describe(
      'Id of a prepared plan, which can be executed once. entity, action and params (if given) must match the plan.',
    ),
});

/** Body of a request to create a workspace. */
export const NewWorkspaceRequest = z.strictObject({ name: newPathLabel('Unique in the organization.') });

/** Header for writes that must not be executed twice. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]([\x20-\x7e]{0,126}[\x21-\x7e])?$/, 'must be 1 to 128 printable ASCII characters');

/** A connector, without its credentials. */
export const ConnectorResponse = z.object({
  id: z.string(),
  name: z.string(),
  connector_type: z.string(),
  workspace_name: z.string(),
  replication_config: z.record(z.string(), z.unknown()).nullable(),
  created_at: instant,
  updated_at: instant,
  settings: z.record(z.string(), z.boolean()).optional().describe('Omitted if the type has no settings.'),
  status: z
    .enum(['ok', 'needs_reauthorization', 'failing'])
    .describe('ok until the vendor rejects the credentials (needs_reauthorization) or syncs keep failing (failing).'),
});

export const ConnectorsResponse = z.object({
  data: z.array(
    ConnectorResponse.extend({
      summarized_source_template: z
        .object({ name: z.string() })
        .optional()
        .describe('Type name, for the Python client.'),
    }),
  ),
  next: z.string().nullable(),
});

/** A deleted object. */
export const DeletedResponse = z.object({ id: z.string(), deleted: z.literal(true) });

/** A deleted connector. */
export const DeletedConnectorResponse = DeletedResponse.extend({
  tokens_ended: z
    .boolean()
    .nullable()
    .describe('Whether the vendor revoked the tokens: false if it did not or cannot; null if there were none.'),
});

const checkStatus = z.enum(['succeeded', 'failed', 'inconclusive']);

/** Whether the credentials work. */
export const CheckResponse = z.object({
  id: z.string(),
  status: checkStatus,
  error_message: z.string().nullable(),
  entity_check_results: z.array(
    z.object({ entity: z.string(), action: z.string(), status: checkStatus, error_message: z.string().nullable() }),
  ),
});

const storeStatus = z.enum(['not_configured', 'initializing', 'ready', 'updating', 'failed']);

/** A connector and its search readiness. */
export const InspectResponse = z.object({
  connector_id: z.string(),
  name: z.string(),
  connector_type: z.string(),
  definition_id: z.string(),
  workspace_name: z.string(),
  organization_id: z.string(),
  docs_skill_id: z.string(),
  identity: z.unknown().nullable(),
  context_store_readiness: z.object({
    entities: z.array(
      z.object({
        entity: z.string(),
        status: storeStatus,
        ready_for_search: z.boolean(),
        entity_count: z.int().nullable(),
        synced_at: instant.nullable(),
        error: z.string().nullable(),
        semantic: z.array(z.object({ field: z.string(), status: storeStatus })),
      }),
    ),
  }),
  warnings: z.array(z.string()),
  known_parameters: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe('Configured values, by action parameter.'),
});

/** Result of an action. */
export const ExecuteResponse = z.object({
  status: z.literal('success'),
  result: z.unknown().describe('An array for list; { data, meta } for context_store_search; otherwise an object.'),
  connector_metadata: z.record(z.string(), z.unknown()).describe('Metadata for a list.'),
  execution_metadata: z.object({
    connector_instance_id: z.string(),
    execution_id: z.string(),
    execution_time_ms: z.int(),
  }),
});

/** A prepared write that was not sent. */
export const PlannedResponse = z.object({
  status: z.literal('planned'),
  plan: z.object({
    connector: z.string(),
    entity: z.string(),
    action: z.string(),
    request: z.object({ method: z.string(), url: z.string(), body: z.unknown() }),
    id: z.string(),
    digest: z.string(),
  }),
});

/** A part of a download. */
export const ChunkResponse = z
  .object({
    content: z.string(),
    encoding: z.enum(['utf-8', 'base64']),
    bytes_returned: z.int(),
    range_requested: z.string(),
    next_range_header: z.string().nullable().describe('range_header for the next part.'),
    has_more: z.boolean(),
    content_type: z.string().nullable(),
  })
  .describe('A part of a download, if Accept is application/json.');

export const OrganizationResponse = z.object({ id: z.string(), name: z.string(), created_at: instant });
/** The organizations a token can access. */
export const OrganizationsResponse = z.object({ data: z.array(OrganizationResponse) });

export const WorkspaceResponse = z.object({
  id: z.string(),
  name: z.string(),
  organization_id: z.string(),
  created_at: instant,
});
export const WorkspacesResponse = z.object({ data: z.array(WorkspaceResponse), next: z.string().nullable() });

/** The token's client and organization. */
export const MeResponse = z.object({
  client_id: z.string(),
  name: z.string(),
  token: z.enum(['app', 'scoped']),
  scopes: z.array(z.enum(tokenScopes)).describe('Granted scopes.'),
  organization_id: z.string().nullable().describe('Null if the client has several organizations and none is selected.'),
  organizations: z.array(OrganizationResponse),
  workspace_name: z.string().nullable().describe('The workspace of a scoped token.'),
  as_user: z.string().optional().describe('Email address of the user the token is bound to, if any.'),
});
