import * as z from 'zod';
import { identifier, instant, label, newLabel, newPathLabel, PageQuery, page, type RequestOf } from './fields.js';

/** Scopes of clients and tokens, in listing order. */
export const tokenScopes = ['read', 'write', 'manage', 'admin'] as const;

/** Token scopes: read data, write data, manage connectors, or administer clients, policies and the audit log. */
export type TokenScope = (typeof tokenScopes)[number];

/** Schema of the scopes that a client has. */
export const grantedScopes = z.array(z.enum(tokenScopes));

/** Schema of the scopes that a request sets. */
export const requestedScopes = grantedScopes.min(1).max(20);

const email = z
  .email({ error: 'must be an email address' })
  .max(254)
  .transform((text) => text.toLowerCase());

/** Request fields that bind a token to a user; an index lookup can cover the readers of a user with up to 40 groups. */
export const personFields = {
  as_user: email
    .optional()
    .describe(
      'Email address of a user. The token can read only what this user can access at the vendor, and it cannot write.',
    ),
  as_groups: z
    .array(email)
    .max(40)
    .optional()
    .describe(
      'Email addresses of all the user’s groups, including nested ones; access through other groups is ignored.',
    ),
};

/** Body of a token request. */
export const TokenRequest = z.strictObject({
  client_id: identifier(200),
  client_secret: identifier(500),
  scopes: requestedScopes.optional().describe('Token scopes (default: all of the client’s scopes).'),
  ...personFields,
});

/** The form that OAuth clients use to request a token (RFC 6749, section 4.4). */
export const ClientCredentialsForm = z.strictObject({
  grant_type: z.literal('client_credentials'),
  client_id: z.string().optional().describe('Required unless sent with HTTP Basic.'),
  client_secret: z.string().optional().describe('Required unless sent with HTTP Basic.'),
  scope: z.string().optional().describe('Space-separated scopes for the token (default: all of the client’s scopes).'),
});

/** A client token. */
export const TokenResponse = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  expires_in: z.int().describe('Seconds.'),
  organization_id: z.string().nullable(),
});

/** Maximum lifetime of a workspace token, in seconds. */
export const maxScopedTokenSeconds = 1200;

/** Body of a workspace token request. */
export const ScopedTokenRequest = z.strictObject({
  workspace_name: newLabel.describe('The token’s workspace; created if it does not exist.'),
  scopes: requestedScopes
    .optional()
    .describe(
      'Token scopes (default: read and write, limited to the caller’s scopes); manage allows creating connectors.',
    ),
  ...personFields,
  expires_in: z
    .int()
    .min(60)
    .max(maxScopedTokenSeconds)
    .optional()
    .describe('Lifetime in seconds, 60 to 1200 (default 1200).'),
});

/** A token that has been issued and is valid. */
export const IssuedTokenResponse = z.object({
  id: z.string().describe('Id of the token, which is not the token.'),
  client_id: z.string(),
  workspace_id: z.string().nullable().describe('The only workspace that it can access; null for a client token.'),
  created_at: instant,
  expires_at: instant,
  last_used_at: instant.nullable().describe('Last use, to the minute; null if never.'),
});

/** Body of a request to revoke a token. */
export const RevokeTokenRequest = z.strictObject({
  token: z.string().max(8_192).optional().describe('The token.'),
  id: identifier(100).optional().describe('Its id, in place of the token.'),
});

/** A revoked token. */
export const RevokedTokenResponse = z.object({ id: z.string(), revoked: z.boolean() });

/** Body of a request for information about a token. */
export const TokenToInspect = z.strictObject({ token: z.string().max(8_192).describe('The token.') });

/** Whether a token is valid, and what it can do; the fields are those of RFC 7662. */
export const IntrospectionResponse = z.object({
  active: z.boolean().describe('False if the token is invalid, or another client’s; there are no other fields then.'),
  jti: z.string().optional().describe('Id of the token.'),
  client_id: z.string().optional(),
  token_type: z.literal('bearer').optional(),
  scope: z.string().optional().describe('Scopes that it has now, separated by spaces.'),
  iat: z.int().optional().describe('When it was issued, in seconds since 1970.'),
  exp: z.int().optional().describe('When it expires, in seconds since 1970.'),
  username: z.string().optional().describe('The user that it is bound to.'),
});

/** Options for a workspace token. */
export interface ScopedTokenOptions extends Omit<RequestOf<typeof ScopedTokenRequest>, 'workspace_name'> {}

/** A workspace token. */
export const ScopedTokenResponse = z.object({
  token: z.string().describe('A token for one workspace, valid for expires_in seconds.'),
  expires_in: z.int().describe('Seconds until the token expires.'),
  scopes: grantedScopes.describe('Granted scopes.'),
});

/** A token for one workspace. */
export interface ScopedToken extends z.infer<typeof ScopedTokenResponse> {}

/** An organization. */
export const OrganizationResponse = z.object({
  id: z.string().describe('Id of the organization.'),
  name: z.string().describe('Name of the organization.'),
  created_at: instant.describe('When it was created; ISO 8601.'),
});

/** An organization that a client can access. */
export interface Organization extends z.infer<typeof OrganizationResponse> {}

/** Body of a request to create a workspace. */
export const NewWorkspaceRequest = z.strictObject({ name: newPathLabel.describe('Unique in the organization.') });

/** A workspace. */
export const WorkspaceResponse = z.object({
  id: z.string().describe('Id of the workspace.'),
  name: z.string().describe('Name, unique in the organization.'),
  organization_id: z.string().describe('Organization that it belongs to.'),
  created_at: instant.describe('When it was created; ISO 8601.'),
});

/** An organization's workspace. */
export interface Workspace extends z.infer<typeof WorkspaceResponse> {}

/** Query parameters for listing workspaces. */
export const WorkspacesQuery = z.strictObject({
  name_contains: label.optional().describe('Name filter (substring, ASCII case-insensitive).'),
  ...PageQuery.shape,
});

/** A page of workspaces. */
export const WorkspacesResponse = page(WorkspaceResponse);

/** The token's client and organization. */
export const MeResponse = z.object({
  client_id: z.string().describe('Id of the client.'),
  name: z.string().describe('Name of the client.'),
  token: z.enum(['app', 'scoped']).describe('Whether the token is limited to one workspace (scoped).'),
  scopes: grantedScopes.describe('Granted scopes.'),
  organization_id: z.string().nullable().describe('Null if the client has several organizations and none is selected.'),
  organizations: z.array(OrganizationResponse).describe('Organizations that the token can access.'),
  workspace_name: z.string().nullable().describe('The workspace of a scoped token.'),
  as_user: z.string().optional().describe('Email address of the user the token is bound to, if any.'),
});

/** The identity of a token. */
export interface WhoAmI extends z.infer<typeof MeResponse> {}
