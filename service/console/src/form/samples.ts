import type { ConnectorOverview } from 'agent-connectors/wire';

/** A call to show in several languages. */
export interface CallSample {
  readonly connector: Pick<ConnectorOverview, 'id' | 'name' | 'connector_type' | 'workspace_name'>;
  readonly baseUrl: string;
  readonly organization: string | undefined;
  readonly entity: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>> | undefined;
  readonly binary: boolean;
}

const className = (type: string): string =>
  `${type
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Connector`;

/** A value as a TypeScript literal: JSON with unquoted keys where possible, and single quotes. */
function literal(value: unknown, indent = ''): string {
  const inner = `${indent}  `;
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, inner)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const pairs = Object.entries(value).map(
    ([name, item]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)}: ${literal(item, inner)}`,
  );
  const short = `{ ${pairs.join(', ')} }`;
  if (pairs.length === 0) return '{}';
  return short.length < 60 ? short : `{\n${pairs.map((pair) => `${inner}${pair},\n`).join('')}${indent}}`;
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The call in TypeScript; client id and secret come from the environment. */
export function typescriptOf({ connector, baseUrl, entity, action, params, binary }: CallSample): string {
  const type = connector.connector_type;
  const options = literal({ hosted: { baseUrl, connectorId: connector.id } });
  return `import { ${className(type)} } from 'agent-connectors/${type}';

// Client id and secret: AGENT_CONNECTORS_CLIENT_ID and AGENT_CONNECTORS_CLIENT_SECRET.
const connector = new ${className(type)}(${options});
const { data${binary ? ': stream' : ''}, meta } = await connector.execute(${literal(entity)}, ${literal(action)}, ${literal(params ?? {})});`;
}

/** The call as a CLI command, to run after \`agent-connectors login\`. */
export function commandOf({ connector, entity, action, params, binary }: CallSample): string {
  const { workspace_name: workspace, name } = connector;
  const argument = JSON.stringify({ workspace, name, entity, action, ...(params && { params }) });
  return `agent-connectors connectors execute ${shellQuote(argument)}${binary ? ' --output .' : ''}`;
}

/** The call as a curl command that uses the token in \`$TOKEN\`. */
export function curlOf({ connector, baseUrl, organization, entity, action, params, binary }: CallSample): string {
  const lines = [
    `curl -sS ${shellQuote(`${baseUrl}/api/v1/integrations/connectors/${connector.id}/execute`)}`,
    `-H "authorization: Bearer $TOKEN"`,
    ...(organization === undefined ? [] : [`-H ${shellQuote(`x-organization-id: ${organization}`)}`]),
    `-H 'content-type: application/json'`,
    `-d ${shellQuote(JSON.stringify({ entity, action, ...(params && { params }) }))}`,
    ...(binary ? ['-O -J'] : []),
  ];
  return lines.join(' \\\n  ');
}
