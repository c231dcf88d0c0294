import * as z from 'zod';
import { grantedScopes, personFields, requestedScopes } from './account.js';
import { identifier, instant } from './fields.js';

/** A client. */
export const ClientResponse = z.object({
  id: z.string(),
  name: z.string(),
  scopes: grantedScopes,
  as_user: z.string().nullable().describe('The user that all its tokens are bound to; null if none.'),
  as_groups: z.array(z.string()).describe('Email addresses of that user’s groups.'),
  created_at: instant,
  own: z.boolean().describe('Whether this client is the caller.'),
});

/** A client. */
export interface Client extends z.infer<typeof ClientResponse> {}

/** Body of a request to change a client. */
export const ClientChangesRequest = z.strictObject({
  scopes: requestedScopes.optional(),
  as_user: personFields.as_user.describe('The user to bind all its tokens and grants to, along with as_groups.'),
  as_groups: personFields.as_groups.describe(
    'All of the user’s groups, including nested ones, in place of the previous ones (default: none).',
  ),
});

/** Maximum time that a replaced secret stays valid, in seconds. */
export const maxOverlapSeconds = 604_800;

/** Time that a replaced secret stays valid unless the request sets another one, in seconds. */
export const defaultOverlapSeconds = 86_400;

/** Body of a request to replace a secret. */
const overlap = (consequence: string) =>
  z.strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(maxOverlapSeconds)
      .optional()
      .describe(
        `How long the previous secret stays valid, in seconds, up to ${maxOverlapSeconds} (default ${defaultOverlapSeconds}). ${consequence}`,
      ),
  });

/** Body of a request to replace a client's secret. */
export const RollClientSecretRequest = overlap(
  '0 revokes it immediately, along with the client’s console sessions and connected apps.',
).extend({
  end_tokens: z
    .boolean()
    .optional()
    .describe(
      'Whether to end all tokens, console sessions and connected apps of the client now (default: true if overlap_seconds is 0).',
    ),
});

/** Body of a request to replace a webhook's secret. */
export const RollWebhookSecretRequest = overlap('Until then, messages are signed with both secrets.');

/** Body of a request to replace a connect key. */
export const RollConnectKeyRequest = overlap('Until then, results are signed with both keys.');

/** A client's new secret. */
export const ClientSecretResponse = z.object({
  client_id: z.string(),
  client_secret: z.string().describe('Shown only once.'),
  previous_valid_until: instant.nullable().describe('Null if the previous secret is no longer valid.'),
});

/** A client's new secret. */
export interface ClientSecret extends z.infer<typeof ClientSecretResponse> {}

/** Body of a request to set the return origins of a client. */
export const ConnectSettingsRequest = z.strictObject({
  return_origins: z
    .array(identifier(300))
    .max(20)
    .describe('Exact origins, such as https://app.example.com; http only on localhost.'),
});

/** A client's settings for connect sessions. */
export const ConnectSettingsResponse = z.object({
  return_origins: z.array(z.string()),
  has_key: z.boolean().describe('Whether the client has a signing key.'),
});

/** A new key that signs connect results. */
export const ConnectKeyResponse = z.object({
  client_id: z.string(),
  key: z.string().describe('Shown only once.'),
  previous_valid_until: instant.nullable().describe('Null if no previous key is valid.'),
});

/** An app that a user connected with OAuth. */
export const GrantResponse = z.object({
  id: z.string(),
  app_id: z.string().describe('Registered app id, or the URL of its metadata document.'),
  app_name: z.string().describe('Name given by the app; not verified.'),
  redirect_uri: z.string(),
  resource: z.enum(['mcp', 'api']).describe('Scopes of its tokens.'),
  client_id: z.string().describe('The client that the user was signed in as.'),
  client_name: z.string().nullable().describe('Name of that client.'),
  workspace_name: z.string(),
  scopes: z.array(z.string()),
  connector_ids: z.array(z.string()).nullable().describe('Null means all connectors in the workspace.'),
  created_at: instant,
  last_used_at: instant.nullable().describe('Precise to the minute.'),
  expires_at: instant.describe('Extended when the app is used.'),
});

/** An app that a user connected with OAuth. */
export interface Grant extends z.infer<typeof GrantResponse> {}
