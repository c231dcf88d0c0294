import { ConnectorError, type EndpointOptions, type Manifest } from 'agent-connectors';
import { fieldError, HttpError } from '../http-error.js';
import type { AnyConnectorOptions, Definition } from './definitions.js';

/** Fields of stored credentials. */
export type CredentialFields = Readonly<Record<string, string>>;

/** Addresses that the operator allows connectors to use. */
export interface AddressPolicy {
  /** The operator's own endpoints, by type. */
  readonly endpoints: Readonly<Record<string, EndpointOptions>>;
  /** Additional hosts allowed as `base_url`. */
  readonly allowHosts: readonly string[];
}

/** Options for a connector with these credentials; the expiry time is a field that the service adds. */
export function optionsFor(
  { manifest }: Definition,
  stored: CredentialFields | undefined,
  { endpoints, allowHosts }: AddressPolicy,
  now: number,
): AnyConnectorOptions {
  const operatorEndpoints = endpoints[manifest.name];
  const given = operatorEndpoints === undefined ? {} : { endpoints: operatorEndpoints };
  if (!stored) return given;
  const { expires_at, ...current } = stored;
  const isOver = expires_at !== undefined && expires_at !== '' && Date.parse(expires_at) <= now;
  const fields = isOver ? omitField(current, 'access_token') : current;
  const url = urlOf(fields.base_url);
  const isForeign = manifest.endpoints.customers && url && !isCustomerHost(manifest, url);
  if (operatorEndpoints === undefined && isForeign && isAllowed(allowHosts, url)) {
    // The library rejects a base_url outside the vendor's domains, so an allowed one is passed as an endpoint.
    return { credentials: omitField(fields, 'base_url'), endpoints: { api: url.href.replace(/\/+$/, '') } };
  }
  return { ...given, credentials: fields };
}

const omitField = (fields: CredentialFields, name: string): CredentialFields =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));

/** Rejects incomplete or invalid credentials without sending anything; errors never quote values. */
export function checkCredentials(
  definition: Definition,
  fields: CredentialFields,
  settings: Readonly<Record<string, boolean>>,
  policy: AddressPolicy,
): void {
  try {
    if (Object.hasOwn(fields, 'base_url')) checkAddress(definition, fields.base_url, policy.allowHosts);
    // Callers must not set fields reserved for the service.
    const isForeign = Object.hasOwn(fields, 'expires_at');
    definition.make(isForeign ? { credentials: fields } : optionsFor(definition, fields, policy, 0), settings);
  } catch (error) {
    if (!ConnectorError.is(error) || error.code !== 'invalid_credentials') throw error;
    if (error.issues === undefined && /\bbase_url\b/.test(error.message)) {
      const fault = new ConnectorError(error.code, error.message, { hint: baseUrlHint(definition) });
      throw new HttpError(422, fault, { errors: [fieldError('credentials.base_url', error.message)] });
    }
    const issues = error.issues?.map(({ path, message }) => fieldError(path, message));
    throw new HttpError(422, error, { errors: issues ?? [fieldError('credentials', error.message)] });
  }
}

function checkAddress(definition: Definition, baseUrl: unknown, allowHosts: readonly string[]): void {
  const { manifest } = definition;
  const { customers = [] } = manifest.endpoints;
  if (customers.length === 0) return;
  const url = urlOf(baseUrl);
  if (url && (isCustomerHost(manifest, url) || isAllowed(allowHosts, url))) return;
  const message = `is not a URL at ${customers.join(' or ')}`;
  throw new ConnectorError('invalid_credentials', `${manifest.title}: credentials.base_url ${message}.`, {
    issues: [{ path: 'credentials.base_url', message }],
    hint: baseUrlHint(definition),
  });
}

/** Where to find the address, and how to allow another host. */
function baseUrlHint({ description: { auth } }: Definition): string {
  const field = auth.flatMap(({ fields }) => fields).find(({ name }) => name === 'base_url');
  return `${field ? `${field.description} ` : ''}To allow another host, the operator must start the service with --allow-host <host>.`;
}

const isCustomerHost = ({ endpoints: { customers = [] } }: Manifest, { hostname }: URL): boolean =>
  customers.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));

/** Whether the operator allows a host, with or without a port. */
const isAllowed = (allowHosts: readonly string[], { host, hostname }: URL): boolean =>
  allowHosts.some((allowed) => [host, hostname].includes(allowed.toLowerCase()));

const withScheme = (address: string): string => {
  const bare = address.trim();
  return /^[a-z]+:\/\//i.test(bare) ? bare : `https://${bare}`;
};

const urlOf = (address: unknown): URL | undefined =>
  typeof address === 'string' && URL.canParse(withScheme(address)) ? new URL(withScheme(address)) : undefined;
