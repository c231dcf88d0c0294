import type { CommonOptions, HostedOptions } from './call/options.js';
import type { Policy } from './call/policy.js';
import type { Transport } from './call/transport.js';
import { type DirectRoute, directRoute } from './direct/transport.js';
import { ConnectorError } from './errors/connector-error.js';
import { hostedTarget } from './hosted/options.js';
import type { HostedRoute } from './hosted/transport.js';
import { endpointsOf } from './http/request.js';
import type { Manifest } from './manifest/manifest.js';

/** How a connector's operations are run. */
export interface Route extends Partial<DirectRoute> {
  readonly transport: Transport;
  /** The service's information about the connector, if a service is used. */
  readonly inspect?: HostedRoute['inspect'] | undefined;
}

/** Chooses between the vendor, a service, both, or neither, based on the connector's options. */
export function selectTransport<M extends Manifest>(manifest: M, options: CommonOptions<M>, policy: Policy): Route {
  if (options.transport) return { transport: options.transport };
  endpointsOf(manifest, options.endpoints);
  const common = options as unknown as CommonOptions;
  const service = options.hosted && lazyHostedRoute(manifest, options.hosted, common);
  if (options.credentials === undefined)
    return service ?? { transport: split(missingCredentials(manifest), missingService) };
  const { transport, revoke } = directRoute(manifest, common, policy);
  return { transport: split(transport, service?.transport ?? missingService), revoke, inspect: service?.inspect };
}

/** Routes service-only operations to the service and everything else to the vendor. */
const split =
  (vendor: Transport, service: Transport): Transport =>
  (operation) =>
    (operation.spec.hostedOnly ? service : vendor)(operation);

/** Runs operations through a service; its code is loaded on first use. */
function lazyHostedRoute(manifest: Manifest, hosted: HostedOptions, options: CommonOptions): HostedRoute {
  const target = hostedTarget(hosted);
  const setting = Object.keys(manifest.settings ?? {}).find((name) => (options as Record<string, unknown>)[name]);
  if (setting !== undefined && options.credentials === undefined) {
    throw new ConnectorError(
      'invalid_params',
      `${setting} must be set on the connector in the service, not in these options.`,
    );
  }
  let loaded: Promise<HostedRoute> | undefined;
  const load = () => {
    loaded ??= import('./hosted/transport.js').then(({ hostedRoute }) => hostedRoute(manifest, target, options));
    return loaded;
  };
  return {
    transport: async (operation) => (await load()).transport(operation),
    inspect: async () => (await load()).inspect(),
  };
}

const missingCredentials =
  ({ title }: Manifest): Transport =>
  async ({ entity, action }) => {
    throw new ConnectorError(
      'invalid_credentials',
      `${entity}.${action} needs credentials: pass \`credentials\` for ${title}, or \`hosted\`, when you create the connector.`,
    );
  };

const missingService: Transport = async ({ entity, action }) => {
  throw new ConnectorError(
    'hosted_only',
    `${entity}.${action} searches a replica, which requires a service, but this connector has none.`,
    {
      hint: 'Search requires hosted mode, in which a service maintains the replica: pass `hosted: { baseUrl, clientId, clientSecret }`, with or without credentials. list and get work without it.',
    },
  );
};
