import type { Transport } from '../call/transport.js';
import { nearest } from '../errors/nearest.js';
import { AgentConnectors, serviceOf } from '../hosted/client.js';
import { hostedTarget } from '../hosted/options.js';
import { pagesOf } from '../hosted/pages.js';
import { connectorPath, type Service, type ServiceRequest } from '../hosted/service.js';
import { hostedTransport } from '../hosted/transport.js';
import { Lifetime } from '../http/lifetime.js';
import type { HostedConnector } from '../wire/index.js';
import type { CommandCall } from './arguments/specification.js';
import { fetchAs } from './authorization.js';
import { failure, usageError } from './failure.js';
import { readSettings, type Settings } from './settings.js';

/** The service a command talks to. */
export interface Session {
  readonly baseUrl: string;
  readonly workspace: string;
  readonly organizationId: string | undefined;
  readonly client: AgentConnectors;
  readonly service: Service;
  /** Where the address and credentials come from. */
  readonly source: 'environment' | 'settings';
  get<T>(path: string, query?: ServiceRequest['query']): Promise<T>;
  send<T>(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    json?: unknown,
    options?: Partial<Pick<ServiceRequest, 'idempotent' | 'change'>>,
  ): Promise<T>;
  lifetime(): Lifetime;
}

const nonEmpty = (text: string | undefined): string | undefined => text?.trim() || undefined;

/** Effective settings: the environment takes precedence over `login`. */
export async function effectiveSettings({
  environment,
}: Pick<CommandCall, 'environment'>): Promise<{ settings: Settings; source: Session['source'] }> {
  const { env } = environment;
  const stored = await readSettings(environment);
  const baseUrl = nonEmpty(env.AGENT_CONNECTORS_BASE_URL);
  const [clientId, clientSecret] = [
    nonEmpty(env.AGENT_CONNECTORS_CLIENT_ID),
    nonEmpty(env.AGENT_CONNECTORS_CLIENT_SECRET),
  ];
  if ((clientId === undefined) !== (clientSecret === undefined)) {
    throw failure('invalid_credentials', 'Only one of the client id and secret is set in the environment.', {
      hint: 'Set both AGENT_CONNECTORS_CLIENT_ID and AGENT_CONNECTORS_CLIENT_SECRET, or neither.',
    });
  }
  const hasOwnCredentials = clientId !== undefined && clientSecret !== undefined;
  const base_url = baseUrl ?? stored?.base_url;
  if (base_url === undefined && hasOwnCredentials) {
    throw failure('unauthorized', 'AGENT_CONNECTORS_BASE_URL is missing.', {
      hint: "Set it to the service's URL, such as http://127.0.0.1:4020.",
    });
  }
  if (base_url === undefined || (!hasOwnCredentials && stored === undefined)) {
    throw failure('unauthorized', 'You are not logged in.', {
      hint: 'Run agent-connectors login, or set AGENT_CONNECTORS_BASE_URL, _CLIENT_ID and _CLIENT_SECRET. To work without a service, pass --local.',
    });
  }
  if (!hasOwnCredentials && baseUrl !== undefined && normalizeBaseUrl(baseUrl) !== normalizeBaseUrl(stored!.base_url)) {
    throw failure(
      'invalid_credentials',
      'AGENT_CONNECTORS_BASE_URL does not point to the service you are logged in to.',
      {
        hint: 'Set AGENT_CONNECTORS_CLIENT_ID and _CLIENT_SECRET too, or log in to that service: saved credentials are not sent to a different service.',
      },
    );
  }
  const organization_id = nonEmpty(env.AGENT_CONNECTORS_ORGANIZATION_ID);
  const workspace = nonEmpty(env.AGENT_CONNECTORS_WORKSPACE);
  // A client's organization and workspace are meaningless to another client.
  const settings: Settings = hasOwnCredentials
    ? { base_url, client_id: clientId, client_secret: clientSecret, organization_id, workspace }
    : {
        ...stored!,
        base_url,
        organization_id: organization_id ?? stored!.organization_id,
        workspace: workspace ?? stored!.workspace,
      };
  return { source: hasOwnCredentials ? 'environment' : 'settings', settings };
}

const normalizeBaseUrl = (address: string): string => address.replace(/(?<!\/)\/+$/, '').replace(/\/api\/v1$/, '');

/** Opens the service with the given settings. */
export function sessionWith(
  { environment, secrets }: Pick<CommandCall, 'environment' | 'secrets'>,
  settings: Settings,
  source: Session['source'] = 'settings',
): Session {
  const { base_url, organization_id, workspace = 'default' } = settings;
  const place = { baseUrl: base_url, workspace, organizationId: organization_id };
  const isPerson = 'sign_in' in settings;
  if (isPerson) secrets.push(settings.sign_in.access_token, settings.sign_in.refresh_token);
  else secrets.push(settings.client_secret);
  const options = isPerson
    ? { ...place, token: settings.sign_in.access_token }
    : { ...place, clientId: settings.client_id, clientSecret: settings.client_secret };
  const target = hostedTarget(options);
  const { signal } = environment;
  const fetch = isPerson ? fetchAs(settings, environment, secrets) : environment.fetch;
  const client = new AgentConnectors({ ...options, fetch, signal, userAgent: 'agent-connectors-cli' });
  const service = serviceOf(client);
  const lifetime = () => new Lifetime(120_000, signal);
  return {
    baseUrl: target.baseUrl,
    workspace,
    organizationId: target.organizationId,
    client,
    service,
    source,
    lifetime,
    get: (path, query) => service.json({ method: 'GET', path, query, idempotent: true, lifetime: lifetime() }),
    send: (method, path, json, { idempotent = method !== 'POST', change } = {}) =>
      service.json({ method, path, json, idempotent, change, lifetime: lifetime() }),
  };
}

/** Opens the service from the environment or `login`. */
export async function openSession(call: CommandCall): Promise<Session> {
  const { settings, source } = await effectiveSettings(call);
  return sessionWith(call, settings, source);
}

/** All connectors of a workspace. */
export async function connectorsIn(session: Session, workspace: string): Promise<HostedConnector[]> {
  const all: HostedConnector[] = [];
  const pages = pagesOf<HostedConnector>(
    session.service,
    '/integrations/connectors',
    { workspace_name: workspace },
    session.lifetime,
  );
  for await (const page of pages) all.push(...page);
  return all;
}

/** Runs operations on a connector of the service. */
export const transportTo = ({ service }: Session, id: string): Transport =>
  hostedTransport(service, { id: async () => id, invalidate: () => {} });

const foldCase = (name: string): string => name.trim().toLowerCase();
const normalizeName = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, '');

/** Whether a text has the form of a connector's id. */
const isId = (text: string): boolean => text.startsWith('con_');

/**
 * Finds the connector an argument refers to: by id, by name in the workspace, or by type if there is only one of that
 * type. Either key accepts an id or a name.
 */
export async function findHosted(session: Session, argument: CommandCall['argument']): Promise<HostedConnector> {
  const { id } = argument;
  const workspace = argument.workspace ?? session.workspace;
  if (id !== undefined && argument.name !== undefined) throw usageError('Pass name or id, not both.');
  if (id !== undefined && isId(id)) return session.get(connectorPath(id));
  const name: string | undefined = id ?? argument.name;
  if (name === undefined) {
    throw usageError('Missing connector. Pass its name or id.', {
      hint: 'Run agent-connectors connectors list.',
    });
  }
  const all = await connectorsIn(session, workspace);
  const byName = all.filter((found) => found.id === name || foldCase(found.name) === foldCase(name));
  const matches =
    byName.length > 0 ? byName : all.filter((found) => normalizeName(found.connector_type) === normalizeName(name));
  const [found, ...others] = matches;
  if (found && others.length === 0) return found;
  if (found) {
    throw usageError(`Several connectors in '${workspace}' have this name; pass an id.`, {
      hint: `Matches: ${matches.map((each) => `${each.id} (${each.connector_type})`).join(', ')}.`,
      extra: { matches: matches.map(({ id, name, connector_type }) => ({ id, name, connector_type })) },
    });
  }
  if (isId(name)) return session.get(connectorPath(name));
  const close = nearest(
    name,
    all.map((other) => other.name),
  );
  throw failure(
    'not_found',
    `Connector not found in workspace '${workspace}'.${close ? ` Did you mean '${close}'?` : ''}`,
    {
      hint:
        all.length > 0
          ? `Available: ${all.map((other) => other.name).join(', ')}.`
          : 'The workspace has no connectors. Create one: agent-connectors connectors create.',
    },
  );
}

/** The id of the connector with a name; an id stays as it is. */
export const connectorId = async (session: Session, id: string, workspace?: string): Promise<string> =>
  isId(id) ? id : (await findHosted(session, { id, workspace })).id;
