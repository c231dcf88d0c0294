import { ConnectorError } from '../call/errors.js';
import { nearest } from '../call/nearest.js';
import { type HostedTarget, hostedTarget } from '../hosted/options.js';
import { Service, type ServiceRequest } from '../hosted/service.js';
import type { HostedConnector } from '../hosted/wire.js';
import { Lifetime } from '../http/lifetime.js';
import type { Call } from './arguments/specification.js';
import { failure, refusal } from './failure.js';
import { readSettings, type Settings } from './settings.js';

/** The service that a command speaks to. */
export interface Session {
  readonly baseUrl: string;
  readonly workspace: string;
  readonly organizationId: string | undefined;
  readonly service: Service;
  /** Where the address and the credentials come from. */
  readonly source: 'environment' | 'settings';
  get<T>(path: string, query?: ServiceRequest['query']): Promise<T>;
  ask<T>(
    method: 'POST' | 'DELETE',
    path: string,
    json?: unknown,
    options?: Partial<Pick<ServiceRequest, 'repeatable' | 'change'>>,
  ): Promise<T>;
  lifetime(): Lifetime;
}

const set = (text: string | undefined): string | undefined => text?.trim() || undefined;

/** The settings in force: what the environment says goes before what `login` has kept. */
async function settingsInForce({
  surroundings,
}: Pick<Call, 'surroundings'>): Promise<{ settings: Settings; source: Session['source'] }> {
  const { env } = surroundings;
  const stored = await readSettings(surroundings);
  const baseUrl = set(env.AGENT_CONNECTORS_BASE_URL);
  const [clientId, clientSecret] = [set(env.AGENT_CONNECTORS_CLIENT_ID), set(env.AGENT_CONNECTORS_CLIENT_SECRET)];
  if ((clientId === undefined) !== (clientSecret === undefined)) {
    throw failure('invalid_credentials', 'Of the client id and the secret, the environment holds only one.', {
      hint: 'Set both AGENT_CONNECTORS_CLIENT_ID and AGENT_CONNECTORS_CLIENT_SECRET, or neither.',
    });
  }
  const own = clientId !== undefined && clientSecret !== undefined;
  const base_url = baseUrl ?? stored?.base_url;
  if (base_url === undefined || (!own && stored === undefined)) {
    throw failure('unauthorized', 'You are not logged in.', {
      hint: 'Run agent-connectors login, or set AGENT_CONNECTORS_BASE_URL, _CLIENT_ID and _CLIENT_SECRET. For work without a service: --local.',
    });
  }
  if (!own && baseUrl !== undefined && trimmed(baseUrl) !== trimmed(stored!.base_url)) {
    throw failure(
      'invalid_credentials',
      'AGENT_CONNECTORS_BASE_URL names another service than the one you logged in to.',
      {
        hint: 'Set AGENT_CONNECTORS_CLIENT_ID and _CLIENT_SECRET too, or log in there: credentials of one service are not sent to another.',
      },
    );
  }
  return {
    source: own ? 'environment' : 'settings',
    settings: {
      base_url,
      client_id: clientId ?? stored!.client_id,
      client_secret: clientSecret ?? stored!.client_secret,
      // An organisation of one client means nothing for another.
      organization_id: set(env.AGENT_CONNECTORS_ORGANIZATION_ID) ?? (own ? undefined : stored!.organization_id),
      workspace: set(env.AGENT_CONNECTORS_WORKSPACE) ?? (own ? undefined : stored!.workspace),
    },
  };
}

const trimmed = (address: string): string => address.replace(/\/+$/, '').replace(/\/api\/v1$/, '');

/** Opens the service with given settings. */
export function sessionWith(
  { surroundings, secrets }: Pick<Call, 'surroundings' | 'secrets'>,
  settings: Settings,
  source: Session['source'] = 'settings',
): Session {
  secrets.push(settings.client_secret);
  const { base_url, client_id, client_secret, organization_id, workspace = 'default' } = settings;
  const target: HostedTarget = hostedTarget({
    ...{ baseUrl: base_url, clientId: client_id, clientSecret: client_secret, workspace },
    organizationId: organization_id,
  });
  const { fetch, signal } = surroundings;
  const service = new Service(target, { fetch, userAgent: 'agent-connectors-cli' });
  const lifetime = () => new Lifetime(120_000, signal);
  return {
    ...{ baseUrl: target.baseUrl, workspace, organizationId: target.organizationId, service, source, lifetime },
    get: (path, query) => service.json({ method: 'GET', path, query, repeatable: true, lifetime: lifetime() }),
    ask: (method, path, json, { repeatable = method !== 'POST', change } = {}) =>
      service.json({ method, path, json, repeatable, change, lifetime: lifetime() }),
  };
}

/** Opens the service that the environment or `login` names. */
export async function openSession(call: Call): Promise<Session> {
  const { settings, source } = await settingsInForce(call);
  return sessionWith(call, settings, source);
}

/** Path of one connector. */
export const connectorPath = (id: string): string => `/integrations/connectors/${encodeURIComponent(id)}`;

/** All connectors that a filter lets through, page by page. */
export async function* connectorPages(
  session: Session,
  filter: Readonly<Record<string, string | number | undefined>>,
): AsyncGenerator<{ data: HostedConnector[]; next: string | null }> {
  const seen = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const page = await session.get<{ data: HostedConnector[]; next: string | null }>('/integrations/connectors', {
      ...filter,
      ...(cursor !== undefined && { cursor }),
    });
    yield page;
    if (!page.next) return;
    if (seen.has(page.next)) {
      throw failure('invalid_response', 'The service gave a cursor that it has given before.');
    }
    seen.add(page.next);
    cursor = page.next;
  }
}

const folded = (name: string): string => name.trim().toLowerCase();
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, '');

/** The one connector that an argument means: by its id, its name in the workspace, or its type where that is alone. */
export async function findHosted(session: Session, argument: Call['argument']): Promise<HostedConnector> {
  const { id, name, workspace = session.workspace } = argument;
  if (id !== undefined && name !== undefined) throw refusal('Pass name or id, not both.');
  if (id !== undefined) return session.get(connectorPath(id));
  if (name === undefined) {
    throw refusal('Which connector is meant? Pass its name, or its id.', {
      hint: 'agent-connectors connectors list shows them.',
    });
  }
  const all: HostedConnector[] = [];
  for await (const { data } of connectorPages(session, { workspace_name: workspace })) all.push(...data);
  const named = all.filter((found) => folded(found.name) === folded(name));
  const fitting = named.length > 0 ? named : all.filter((found) => plain(found.connector_type) === plain(name));
  const [found, ...others] = fitting;
  if (found && others.length === 0) return found;
  if (found) {
    throw refusal(`Several connectors in '${workspace}' go by this name; pass the id of one.`, {
      extra: { matches: fitting.map(({ id, name, connector_type }) => ({ id, name, connector_type })) },
    });
  }
  const close = nearest(
    name,
    all.map((other) => other.name),
  );
  throw failure(
    'not_found',
    `The workspace '${workspace}' has no connector of this name.${close ? ` Did you mean '${close}'?` : ''}`,
    {
      hint:
        all.length > 0
          ? `There are: ${all.map((other) => other.name).join(', ')}.`
          : 'It holds none yet: connectors create makes one.',
    },
  );
}

/** Whether a failure says that the service knows no such address. */
export const isMissingRoute = (error: unknown): boolean =>
  ConnectorError.is(error) &&
  ((error.code === 'not_found' && !/^There is no \w+ '/.test(error.message)) ||
    (error.code === 'invalid_params' && /^This path takes /.test(error.message)) ||
    (error.code === 'vendor_error' && [404, 405, 501].includes(error.status ?? 0)));
