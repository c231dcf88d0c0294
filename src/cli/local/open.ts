import type { CommonOptions } from '../../call/options.js';
import { quoted, suggestion } from '../../errors/nearest.js';
import type { EndpointOptions } from '../../http/request.js';
import type { SetupGuide } from '../../manifest/setup.js';
import type { CommandCall } from '../arguments/specification.js';
import { type AnyClass, type RunningConnector, resolveClass, typeNames } from '../definitions.js';
import { usageError } from '../failure.js';
import { credentialsFrom, type EnvironmentCredentials } from './credentials.js';
import { tokenStore } from './tokens.js';

/** A connector that calls the vendor directly. */
export interface LocalConnector extends EnvironmentCredentials {
  readonly Class: AnyClass;
  readonly connector: RunningConnector;
  /** The options that it was created with. */
  readonly options: CommonOptions;
}

/** The type that an argument refers to when no service is used. */
export async function requestedClass({
  argument,
  environment,
}: Pick<CommandCall, 'argument' | 'environment'>): Promise<AnyClass> {
  const { name, connector_type, id, workspace } = argument;
  if (id !== undefined || workspace !== undefined) {
    throw usageError('id and workspace need a service; with --local, name is the connector type.');
  }
  const type = connector_type ?? name;
  if (type === undefined) throw usageError('Missing connector. With --local, pass its type as name.');
  return resolveClass(type, environment);
}

/** A type's setup guide; empty if it has none. */
export const guideOf = async ({ manifest }: AnyClass): Promise<Partial<SetupGuide>> =>
  (await manifest.setup?.())?.setup ?? {};

/** Opens a connector with credentials from the environment. */
export async function openLocal(
  Class: AnyClass,
  call: Pick<CommandCall, 'environment' | 'secrets'>,
  fetch: typeof globalThis.fetch = call.environment.fetch,
): Promise<LocalConnector> {
  const { environment } = call;
  const found = await credentialsFrom(Class, call);
  const endpoints = await endpointsFor(Class.manifest.name, environment);
  const refreshesTokens = found.credentials.refresh_token !== undefined;
  const options: CommonOptions = {
    credentials: found.credentials as never,
    fetch,
    userAgent: 'agent-connectors-cli',
    ...(endpoints !== undefined && { endpoints }),
    ...(refreshesTokens && { tokens: tokenStore(found.credentials, environment) }),
  };
  return { ...found, Class, connector: new Class(options), options };
}

const formatHint =
  'AGENT_CONNECTORS_ENDPOINTS must be a JSON object keyed by type, such as {"<type>":"http://127.0.0.1:4010/<type>"}';

/** The user's own endpoints for a type, for proxies and the sandbox. */
async function endpointsFor(
  type: string,
  environment: CommandCall['environment'],
): Promise<EndpointOptions | undefined> {
  const text = environment.env.AGENT_CONNECTORS_ENDPOINTS?.trim();
  if (!text) return undefined;
  let all: unknown;
  try {
    all = JSON.parse(text);
  } catch {
    throw usageError(`${formatHint}; the current value is not valid JSON.`);
  }
  if (typeof all !== 'object' || all === null || Array.isArray(all)) throw usageError(`${formatHint}.`);
  const names = await typeNames(environment);
  const unknown = Object.keys(all).find((name) => !names.includes(name));
  // Ignoring it would send real credentials to the vendor instead.
  if (unknown !== undefined) {
    throw usageError(
      `AGENT_CONNECTORS_ENDPOINTS contains the unknown type ${quoted(unknown)}. ${suggestion(unknown, names, 'types')}`,
    );
  }
  return Object.hasOwn(all, type) ? (all as Record<string, EndpointOptions>)[type] : undefined;
}
