import { suggestion } from 'agent-connectors';

/** An OAuth application that the operator registered with a vendor. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** For the vendor's own picker: the project that the application belongs to; by default the client id's number. */
  readonly appId?: string | undefined;
  /** For the vendor's own picker: an API key of the project. Without it, the picker is not offered. */
  readonly developerKey?: string | undefined;
}

const suffixes = {
  clientId: 'CLIENT_ID',
  clientSecret: 'CLIENT_SECRET',
  appId: 'APP_ID',
  developerKey: 'DEVELOPER_KEY',
} as const;

/** The operator's OAuth applications, by connector type. */
export type OAuthClients = Readonly<Record<string, OAuthClient>>;

const variablePrefix = 'AGENT_CONNECTORS_OAUTH_';
/** A type's name as it appears in environment variables. */
export const variableName = (type: string) => type.toUpperCase().replaceAll('-', '_');

/** Reads the operator's OAuth applications from the environment; errors name the variable, never its value. */
export function oauthClientsFrom(
  environment: Readonly<Record<string, string | undefined>>,
  typeNames: readonly string[],
): OAuthClients | undefined {
  const found: Record<string, Partial<OAuthClient>> = {};
  const known = new Map<string, { readonly type: string; readonly field: string }>(
    typeNames.flatMap((type) =>
      Object.entries(suffixes).map(([field, suffix]) => [`${variableName(type)}_${suffix}`, { type, field }] as const),
    ),
  );
  for (const [variable, text] of Object.entries(environment)) {
    const value = text?.trim();
    if (!variable.startsWith(variablePrefix) || !value) continue;
    const rest = variable.slice(variablePrefix.length);
    const setting = known.get(rest);
    if (!setting) {
      throw new Error(
        `${variable} is not a known environment variable. ${suggestion(rest, [...known.keys()], `${variablePrefix}…`)}`,
      );
    }
    found[setting.type] = { ...found[setting.type], [setting.field]: value };
  }
  const clients = Object.entries(found).map(([type, client]) => [type, requireComplete(type, client)] as const);
  return clients.length === 0 ? undefined : Object.fromEntries(clients);
}

function requireComplete(type: string, { clientId, clientSecret, ...picker }: Partial<OAuthClient>): OAuthClient {
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret, ...picker };
  const missing = `${variablePrefix}${variableName(type)}_CLIENT_${clientId === undefined ? 'ID' : 'SECRET'}`;
  throw new Error(`${missing} is missing: an application needs both its id and its secret.`);
}
