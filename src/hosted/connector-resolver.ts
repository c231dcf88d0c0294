import { ConnectorError } from '../errors/connector-error.js';
import { Lifetime } from '../http/lifetime.js';
import type { HostedTarget } from './options.js';
import { fetchAllPages } from './pages.js';
import type { Service } from './service.js';

interface ConnectorRow {
  readonly id: string;
  readonly name: string;
  readonly connector_type: string;
}

/** A connector type. */
interface ConnectorType {
  readonly name: string;
  readonly title: string;
}

/** Timeout of a lookup in milliseconds. Calls share a lookup, so their own timeouts do not apply to it. */
const lookupTimeoutMs = 120_000;

/** Resolves the connector id once for all calls. */
export class ConnectorResolver {
  readonly #service: Service;
  readonly #target: HostedTarget;
  readonly #type: ConnectorType;
  #id: string | undefined;
  #inFlight: Promise<string> | undefined;

  constructor(service: Service, target: HostedTarget, type: ConnectorType) {
    this.#service = service;
    this.#target = target;
    this.#type = type;
    this.#id = target.connectorId;
  }

  /** Returns the id; unless exactly one matches, throws an error that lists the candidates. */
  async id(lifetime: Lifetime): Promise<string> {
    if (this.#id !== undefined) return this.#id;
    this.#inFlight ??= this.#resolve().finally(() => {
      this.#inFlight = undefined;
    });
    const flight = this.#inFlight;
    // Prevents an unhandled rejection if the caller has stopped waiting.
    flight.catch(() => {});
    return lifetime.within(() => flight);
  }

  /** Forces a new lookup on the next call, unless the caller specified the id. */
  invalidate(): void {
    this.#id = this.#target.connectorId;
  }

  async #resolve(): Promise<string> {
    const { workspace } = this.#target;
    this.#id = selectConnector(
      await listConnectors(this.#service, workspace, this.#type.name),
      this.#target,
      this.#type,
    );
    return this.#id;
  }
}

/** All connectors of a type in a workspace. */
function listConnectors(service: Service, workspace: string, type: string): Promise<ConnectorRow[]> {
  const query = { workspace_name: workspace, connector_type: type };
  return fetchAllPages(service, '/integrations/connectors', query, new Lifetime(lookupTimeoutMs, undefined));
}

const foldCase = (text: string) => text.trim().toLowerCase();
const names = (some: readonly ConnectorRow[]) => some.map(({ name, id }) => `'${name}' (${id})`).join(', ');

function selectConnector(
  all: readonly ConnectorRow[],
  { workspace, name }: HostedTarget,
  { title }: ConnectorType,
): string {
  const exact = all.filter((each) => name === undefined || each.name === name);
  const matches = exact.length > 0 ? exact : all.filter((each) => foldCase(each.name) === foldCase(name ?? ''));
  const [found, ...more] = matches;
  if (found && more.length === 0) return found.id;
  if (found) {
    throw new ConnectorError(
      'invalid_params',
      `The workspace '${workspace}' has several ${title} connectors: ${names(matches)}.`,
      { hint: 'Pass hosted.name or hosted.connectorId.' },
    );
  }
  const existing = all.length > 0 ? ` Available: ${names(all)}.` : '';
  throw new ConnectorError(
    'not_found',
    `The workspace '${workspace}' has no ${title} connector${name === undefined ? '' : ` named '${name}'`}.${existing}`,
    { hint: 'Create one with AgentConnectors.connectors.create, or set hosted.workspace.' },
  );
}
