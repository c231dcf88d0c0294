import { ConnectorError } from '../call/errors.js';
import { Lifetime } from '../http/lifetime.js';
import type { HostedTarget } from './options.js';
import { everyPage } from './pages.js';
import type { Service } from './service.js';

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly connector_type: string;
}

/** A type of connector. */
interface Type {
  readonly name: string;
  readonly title: string;
}

/** Milliseconds for a look-up: it serves many calls, so none of their times is its own. */
const patience = 120_000;

/** The id of the one connector that is meant, looked up by the first call for all. */
export class Found {
  readonly #service: Service;
  readonly #target: HostedTarget;
  readonly #type: Type;
  #id: string | undefined;
  #flight: Promise<string> | undefined;

  constructor(service: Service, target: HostedTarget, type: Type) {
    this.#service = service;
    this.#target = target;
    this.#type = type;
    this.#id = target.connectorId;
  }

  /** The id; none or several connectors are an error that names what there is. */
  async id(lifetime: Lifetime): Promise<string> {
    if (this.#id !== undefined) return this.#id;
    this.#flight ??= this.#find().finally(() => {
      this.#flight = undefined;
    });
    const flight = this.#flight;
    // When the caller has gone, nobody is left to be told of its failure.
    flight.catch(() => {});
    return lifetime.within(Number.POSITIVE_INFINITY, () => flight);
  }

  /** Looks again at the next call, where it was not the caller who gave the id. */
  forget(): void {
    this.#id = this.#target.connectorId;
  }

  async #find(): Promise<string> {
    const { workspace } = this.#target;
    this.#id = chosen(await listed(this.#service, workspace, this.#type.name), this.#target, this.#type);
    return this.#id;
  }
}

/** All connectors of a workspace that are of one type. */
function listed(service: Service, workspace: string, type: string): Promise<Listed[]> {
  const query = { workspace_name: workspace, connector_type: type };
  return everyPage(service, '/integrations/connectors', query, new Lifetime(patience, undefined));
}

const fold = (text: string) => text.trim().toLowerCase();
const names = (some: readonly Listed[]) => some.map(({ name, id }) => `'${name}' (${id})`).join(', ');

function chosen(all: readonly Listed[], { workspace, name }: HostedTarget, { title }: Type): string {
  const exact = all.filter((each) => name === undefined || each.name === name);
  const fitting = exact.length > 0 ? exact : all.filter((each) => fold(each.name) === fold(name ?? ''));
  const [found, ...more] = fitting;
  if (found && more.length === 0) return found.id;
  if (found) {
    throw new ConnectorError(
      'invalid_params',
      `The workspace '${workspace}' holds several connectors of ${title}: ${names(fitting)}.`,
      { hint: 'Pass hosted.name or hosted.connectorId.' },
    );
  }
  const there = all.length > 0 ? ` There are ${names(all)}.` : '';
  throw new ConnectorError(
    'not_found',
    `The workspace '${workspace}' holds no connector of ${title}${name === undefined ? '' : ` named '${name}'`}.${there}`,
    { hint: 'Make it with AgentConnectors.connectors.create, or name another workspace in hosted.workspace.' },
  );
}
