import * as z from 'zod';
import type { ConnectorDescription } from '../manifest/describe.js';
import { GapResponse } from '../search/gap.js';
import {
  credentials,
  DeletedResponse,
  identifier,
  instant,
  label,
  newLabel,
  PageQuery,
  page,
  type RequestOf,
  replicationConfig,
  settings,
  typed,
} from './fields.js';

/**
 * This version's connector types with the fields of their `replication_config`; added by the build, since this module
 * does not import any connector.
 */
// biome-ignore lint/suspicious/noEmptyInterface: see above.
interface KnownTypes {}

/** Connector type, such as `google-drive`; a service may have others. */
export type ConnectorType = keyof KnownTypes | (string & {});

/** What to replicate of a connector of type `T`, and how often. */
export type ReplicationConfig<T extends ConnectorType> = T extends keyof KnownTypes
  ? KnownTypes[T] & {
      /** How often to sync, such as `30m` or `1h`. */
      readonly interval?: string | undefined;
    }
  : object;

/** Body of a request to create a connector. */
export const NewConnectorRequest = z
  .strictObject({
    workspace_name: label.describe('The connector’s workspace.'),
    connector_type: identifier(200).optional().describe('Type name, such as linear.'),
    definition_id: identifier(200).optional().describe('The id of the type, as an alternative to its name.'),
    name: newLabel.optional().describe('Unique in the workspace (default: the type’s title).'),
    credentials: credentials.optional(),
    replication_config: replicationConfig.optional(),
    settings: settings.optional(),
  })
  .refine((body) => (body.connector_type === undefined) !== (body.definition_id === undefined), {
    error: 'exactly one of connector_type and definition_id is required',
  });

/** A new connector, with its type as `connector_type` or `definition_id`. */
export interface CreateConnector<T extends ConnectorType = ConnectorType>
  extends Omit<RequestOf<typeof NewConnectorRequest>, 'workspace_name' | 'connector_type' | 'replication_config'> {
  /** Connector type, such as `google-drive`. */
  readonly connector_type?: T | keyof KnownTypes | undefined;
  /** What to replicate, and how often; everything by default. */
  readonly replication_config?: ReplicationConfig<T> | undefined;
  /** Name of the workspace. */
  readonly workspace_name?: string | undefined;
}

/** Body of a request to change a connector. */
export const ConnectorChangesRequest = z.strictObject({
  name: newLabel.optional().describe('The new name.'),
  credentials: credentials.optional(),
  replication_config: replicationConfig.nullable().optional(),
  settings: settings.optional(),
});

/** Changes to a connector; undefined fields are unchanged. */
export interface UpdateConnector extends RequestOf<typeof ConnectorChangesRequest> {}

/** Query parameters for listing connectors. */
export const ConnectorsQuery = z.strictObject({
  workspace_name: label.optional().describe('Only connectors in this workspace.'),
  connector_type: identifier(200).optional().describe('Only connectors of this type, such as linear.'),
  definition_id: identifier(200).optional().describe('Only connectors of the type with this id.'),
  ...PageQuery.shape,
});

/** Which connectors to list; `cursor` is `next` from the previous page. */
export interface ListConnectors extends Omit<RequestOf<typeof ConnectorsQuery>, 'connector_type'> {
  /** Connector type, such as `google-drive`. */
  readonly connector_type?: ConnectorType | undefined;
}

/** A connector, without its credentials. */
export const ConnectorResponse = z.object({
  id: z.string().describe('Id of the connector.'),
  name: z.string().describe('Name, unique in the workspace.'),
  connector_type: z.string().describe('Type name, such as linear.'),
  workspace_name: z.string().describe('Name of the workspace.'),
  replication_config: z.record(z.string(), z.unknown()).nullable().describe('What to replicate, and how often.'),
  sync_interval: z
    .string()
    .nullable()
    .describe('How often its records are synced, such as 30m: configured or the default; null if it syncs none.'),
  created_at: instant.describe('When it was created; ISO 8601.'),
  updated_at: instant.describe('When it was last changed; ISO 8601.'),
  settings: z.record(z.string(), z.boolean()).optional().describe('Omitted if the type has no settings.'),
  status: z
    .enum(['ok', 'needs_reauthorization', 'failing'])
    .describe('ok until the vendor rejects the credentials (needs_reauthorization) or syncs keep failing (failing).'),
});

/** A service's connector. */
export interface HostedConnector extends z.infer<typeof ConnectorResponse> {}

/** A page of connectors. */
export const ConnectorsResponse = page(
  ConnectorResponse.extend({
    summarized_source_template: z.object({ name: z.string() }).optional().describe('Type name, for the Python client.'),
  }),
);

/** A deleted connector. */
export const DeletedConnectorResponse = DeletedResponse.extend({
  tokens_ended: z
    .boolean()
    .nullable()
    .describe('Whether the vendor revoked the tokens: false if it did not or cannot; null if there were none.'),
});

const check = {
  status: z
    .enum(['succeeded', 'failed', 'inconclusive'])
    .describe('Whether the vendor accepts the credentials; inconclusive if they could not be checked.'),
  error_message: z.string().nullable().describe('Why it failed; null otherwise.'),
};

/** Whether the credentials work. */
export const CheckResponse = z.object({
  id: z.string().describe('Id of the connector.'),
  ...check,
  entity_check_results: z
    .array(
      z.object({ entity: z.string().describe('Entity read.'), action: z.string().describe('Action run.'), ...check }),
    )
    .describe('The checks performed.'),
});

/** Result of checking a connector's credentials. */
export interface ConnectorCheck extends z.infer<typeof CheckResponse> {}

const storeStatus = z.enum(['not_configured', 'initializing', 'ready', 'updating', 'failed']);

/** Search readiness of an entity. */
export const EntityReadinessResponse = z.object({
  entity: z.string().describe('Name of the entity.'),
  status: storeStatus.describe('Status of its replica.'),
  ready_for_search: z.boolean().describe('Whether it is complete.'),
  entity_count: z.int().nullable().describe('Number of records.'),
  synced_at: instant.nullable().describe('When it was last complete; ISO 8601, null until then.'),
  error: z.string().nullable().describe('Why it failed; null otherwise.'),
  complete: z.boolean().describe('Whether it has everything as of `synced_at`, except permanent gaps.'),
  missing: z.array(GapResponse).describe('What is missing; empty if nothing is known to be.'),
  semantic: z
    .array(
      z.object({
        field: z.string().describe('Name of the field.'),
        status: storeStatus.describe('Status of its passages.'),
      }),
    )
    .describe('Fields that support semantic search.'),
});

/** A connector and its search readiness. */
export const InspectResponse = z.object({
  connector_id: z.string().describe('Id of the connector.'),
  name: z.string().describe('Name of the connector.'),
  connector_type: z.string().describe('Type name, such as linear.'),
  definition_id: z.string().describe('Id of the type.'),
  workspace_name: z.string().describe('Name of the workspace.'),
  organization_id: z.string().describe('Organization that it belongs to.'),
  docs_skill_id: z.string().describe('Id of its documentation for agents.'),
  identity: z.record(z.string(), z.unknown()).nullable().describe('The account, if the vendor reports it.'),
  context_store_readiness: z
    .object({ entities: z.array(EntityReadinessResponse).describe('Searchable entities.') })
    .describe('Search readiness of its records.'),
  warnings: z.array(z.string()).describe('Problems to fix or be aware of.'),
  known_parameters: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe('Configured values, by action parameter.'),
});

/** A connector and the search readiness of its entities. */
export interface ConnectorInspection extends z.infer<typeof InspectResponse> {}

/** A connector type. */
export const DescribeResponse = typed<ConnectorDescription, ConnectorDescription>(
  z.looseObject({ name: z.string(), title: z.string(), entities: z.array(z.unknown()) }),
);

/** Query parameters that select the documentation to read. */
export const SkillDocsQuery = z.strictObject({
  id: identifier(200).describe('`docs_skill_id` from inspect, a connector id or a type name.'),
  section: identifier(200).optional().describe('A section of the outline (default: the overview).'),
});

/** Documentation for agents. */
export const SkillDocsResponse = z.object({
  metadata: z
    .object({
      id: z.string().describe('Id of the documentation.'),
      title: z.string().describe('Its title.'),
      version: z.string().describe('Version of the connector.'),
      hash: z.string().describe('SHA-256 of the whole documentation, in hex.'),
    })
    .describe('Metadata of the documentation.'),
  outline: z
    .array(
      z.object({ id: z.string().describe('Id of the section.'), title: z.string().describe('Title of the section.') }),
    )
    .describe('Available sections.'),
  section_id: z.string().nullable().describe('Returned section; null for the overview.'),
  content: z
    .union([z.string(), z.array(z.object({ type: z.literal('paragraph'), text: z.string() }))])
    .describe('Markdown, or a list of blocks for the Python client, which identifies itself in X-ADP-Agent-SDK.'),
});

/** Documentation for agents, in Markdown. */
export interface SkillDocs extends Omit<z.infer<typeof SkillDocsResponse>, 'content'> {
  /** Markdown. */
  content: string;
}
