import * as z from 'zod';
import type { AppMetadata } from '../../data/state/oauth-types.js';
import { OAuthError } from './oauth-error.js';
import { redirectKind } from './redirects.js';

const authMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;

const names = z.array(z.string().max(200)).max(20).optional();
const Metadata = z.object({
  redirect_uris: z.array(z.string()).min(1).max(20),
  client_name: z.string().max(1_000).optional(),
  token_endpoint_auth_method: z.string().max(200).optional(),
  grant_types: names,
  response_types: names,
});

/** Maximum length of a displayed name. */
const maxNameLength = 60;

/** An app's name as a short line of plain text, because users base their decision on it. */
function displayName(text: string): string {
  const line = text
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu, ' ')
    .trim();
  const letters = [...line];
  return letters.length > maxNameLength ? `${letters.slice(0, maxNameLength).join('')}…` : line || 'Unnamed app';
}

/** Parses an app's metadata (RFC 7591, section 2) and ignores what is not needed. */
export function appMetadata(value: unknown, defaultMethod: AppMetadata['authMethod']): AppMetadata {
  const parsed = Metadata.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const isRedirect = issue?.path[0] === 'redirect_uris';
    const code = isRedirect ? 'invalid_redirect_uri' : 'invalid_client_metadata';
    throw new OAuthError(code, `${issue?.path[0]?.toString() ?? 'The metadata'} is missing or invalid.`);
  }
  const { redirect_uris: redirectUris, client_name = '', grant_types, response_types } = parsed.data;
  if (redirectUris.some((uri) => redirectKind(uri) === undefined)) {
    throw new OAuthError(
      'invalid_redirect_uri',
      'redirect_uris must be https URLs, http URLs on 127.0.0.1, [::1] or localhost, or URLs with a private-use scheme, without fragment or credentials.',
    );
  }
  const method = parsed.data.token_endpoint_auth_method ?? defaultMethod;
  const authMethod = authMethods.find((known) => known === method);
  if (!authMethod) throw new OAuthError('invalid_client_metadata', 'token_endpoint_auth_method is not supported.');
  if (!(grant_types?.includes('authorization_code') ?? true) || !(response_types?.includes('code') ?? true)) {
    throw new OAuthError('invalid_client_metadata', 'Only the authorization code grant is supported.');
  }
  return { name: displayName(client_name), redirectUris, authMethod };
}
