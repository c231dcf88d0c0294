import * as z from 'zod';
import { tokenScopes } from '../../data/state/rows.js';
import { personFields } from '../../domain/accounts/person.js';
import { lifetimes } from '../../domain/accounts/tokens.js';
import { identifier, newLabel } from './input.js';

const scopes = (description: string) => z.array(z.enum(tokenScopes)).min(1).max(20).optional().describe(description);

/** Body of a token request. */
export const TokenRequest = z.strictObject({
  client_id: identifier(200),
  client_secret: identifier(500),
  scopes: scopes('Token scopes (default: all of the client’s scopes).'),
  ...personFields,
});

/** Body of a workspace token request. */
export const ScopedTokenRequest = z.strictObject({
  workspace_name: newLabel('The token’s workspace; created if it does not exist.'),
  scopes: scopes('Token scopes (default: read and write, limited to the caller’s scopes).'),
  ...personFields,
  expires_in: z
    .int()
    .min(60)
    .max(lifetimes.scoped)
    .optional()
    .describe(`Lifetime in seconds, 60 to ${lifetimes.scoped} (default ${lifetimes.scoped}).`),
});

/** A client token. */
export const TokenResponse = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  expires_in: z.int().describe('Seconds.'),
  organization_id: z.string().nullable(),
});

/** A workspace token. */
export const ScopedTokenResponse = z.object({
  token: z.string().describe('Valid for expires_in seconds.'),
  expires_in: z.number().int().describe('Seconds until the token expires.'),
  scopes: z.array(z.enum(tokenScopes)).describe('Granted scopes.'),
});
