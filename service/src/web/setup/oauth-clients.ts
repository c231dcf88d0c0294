import { suggestion } from 'agent-connectors';

/** An OAuth application that the operator registered with a vendor. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

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
  const known = typeNames.flatMap((type) => [`${variableName(type)}_CLIENT_ID`, `${variableName(type)}_CLIENT_SECRET`]);
  for (const [variable, text] of Object.entries(environment)) {
    const value = text?.trim();
    if (!variable.startsWith(variablePrefix) || !value) continue;
    const rest = variable.slice(variablePrefix.length);
    if (!known.includes(rest)) {
      throw new Error(
        `${variable} is not a known environment variable. ${suggestion(rest, known, `${variablePrefix}…`)}`,
      );
    }
    const type = typeNames.find((name) => rest.startsWith(`${variableName(name)}_CLIENT_`))!;
    found[type] = { ...found[type], [rest.endsWith('_ID') ? 'clientId' : 'clientSecret']: value };
  }
  const clients = Object.entries(found).map(([type, client]) => [type, requireComplete(type, client)] as const);
  return clients.length === 0 ? undefined : Object.fromEntries(clients);
}

function requireComplete(type: string, { clientId, clientSecret }: Partial<OAuthClient>): OAuthClient {
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
  const missing = `${variablePrefix}${variableName(type)}_CLIENT_${clientId === undefined ? 'ID' : 'SECRET'}`;
  throw new Error(`${missing} is missing: an application needs both its id and its secret.`);
}
