import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scope } from './rows.js';

/**
 * Which rows the policies of Postgres let a statement see and change: those of one organization, of one connector, or
 * all. Without any it finds nothing. In SQLite nothing but the statement itself decides.
 */
export interface Access {
  readonly organization?: string;
  readonly connector?: string;
  readonly all?: true;
}

const noAccess: Access = {};
const currentAccesses = new AsyncLocalStorage<Access>();

/** The rows that the calling code has asked for. */
export const currentAccess = (): Access => currentAccesses.getStore() ?? noAccess;

/** Runs `work` with the rows of one organization. */
export const withinOrganization = <T>(organization: string, work: () => T): T =>
  currentAccesses.run({ organization }, work);

/** Runs `work` with the rows of one connector, whoever's it is. */
export const withinConnector = <T>(connector: string, work: () => T): T => currentAccesses.run({ connector }, work);

/** Runs `work` with the rows of all organizations: for the service itself and its operator, never for a tenant. */
export const acrossOrganizations = <T>(work: () => T): T => currentAccesses.run({ all: true }, work);

type Functions<First> = Readonly<Record<string, (first: First, ...rest: never[]) => unknown>>;

/** The functions, each run by `enter`, which is given its first argument. */
export const eachWithin = <First, Part>(part: Part, enter: (first: First, work: () => unknown) => unknown): Part =>
  Object.fromEntries(
    Object.entries(part as Functions<First>).map(([name, run]) => [
      name,
      (first: First, ...rest: never[]) => enter(first, () => run(first, ...rest)),
    ]),
  ) as Part;

/** The functions, each with the rows of the organization that its first argument is or names. */
export const eachWithinOrganization = <Part>(part: Part): Part =>
  eachWithin(part, (first: string | Scope, work) =>
    withinOrganization(typeof first === 'string' ? first : first.organizationId, work),
  );

/** The functions, each with the rows of the connector that its first argument is or names. */
export const eachWithinConnector = <Part>(part: Part): Part =>
  eachWithin(part, (first: string | { readonly connectorId: string }, work) =>
    withinConnector(typeof first === 'string' ? first : first.connectorId, work),
  );

/** The functions, each with the rows of all organizations; see `acrossOrganizations`. */
export const eachAcrossOrganizations = <Part>(part: Part): Part =>
  eachWithin(part, (_, work) => acrossOrganizations(work));

/** No id has another character: one that has is nobody's. */
const literal = (id = ''): string => `'${id.replaceAll(/[^\w-]/g, '?')}'`;

/** The expressions that give a transaction its access, which ends with it, so that a pooler may lend the connection to others. */
export const accessSettings = ({ organization, connector, all }: Access): string =>
  `set_config('agent_connectors.organization', ${literal(organization)}, true),
    set_config('agent_connectors.connector', ${literal(connector)}, true),
    set_config('agent_connectors.scope', ${all ? "'all'" : "''"}, true)`;
