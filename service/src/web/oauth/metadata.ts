import type { Resource } from '../../data/state/oauth-types.js';

const authMethods = ['none', 'client_secret_basic', 'client_secret_post'];

/** URL of the resource that tokens are requested for (RFC 8707). */
export const resourceAddress = (base: string, resource: Resource): string => `${base}/${resource}`;

/** Authorization server metadata (RFC 8414). */
export const serverMetadata = (base: string, readsDocuments: boolean): object => ({
  issuer: base,
  authorization_endpoint: `${base}/oauth/authorize`,
  token_endpoint: `${base}/oauth/token`,
  registration_endpoint: `${base}/oauth/register`,
  revocation_endpoint: `${base}/oauth/revoke`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: authMethods,
  revocation_endpoint_auth_methods_supported: authMethods,
  scopes_supported: ['read', 'write'],
  authorization_response_iss_parameter_supported: true,
  ...(readsDocuments && { client_id_metadata_document_supported: true }),
  protected_resources: [resourceAddress(base, 'mcp'), resourceAddress(base, 'api')],
});

/** Resource metadata (RFC 9728). */
export const resourceMetadata = (base: string, resource: Resource, mayWrite: boolean): object => ({
  resource: resourceAddress(base, resource),
  authorization_servers: [base],
  scopes_supported: mayWrite ? ['read', 'write'] : ['read'],
  bearer_methods_supported: ['header'],
  resource_name: resource === 'mcp' ? 'agent-connectors MCP server' : 'agent-connectors API',
});
