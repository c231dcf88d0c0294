import type { AuthScheme } from '../auth/scheme.js';
import { ConnectorError } from '../call/errors.js';
import { quoted, suggestion } from '../call/nearest.js';
import type { Budget, Fault, HttpReply } from '../http/fault.js';
import type { Endpoints } from '../http/request.js';
import type { Replication } from '../replication/types.js';
import { type SearchAction, searchAction } from '../search/search.js';
import type { Search } from '../search/types.js';
import type { SetupGuide } from '../setup/types.js';
import type { Action, Effect } from './action.js';
import type { RecordShape } from './record.js';

/** Actions of an entity, by name. */
export type Actions = Readonly<Record<string, Action>>;

/** One kind of record, and what can be done with it. */
export interface Entity<A extends Actions = Actions> {
  /** What it is, in a sentence. */
  readonly description: string;
  /** Its actions, by name. */
  readonly actions: A;
  /** What of it a service can search. */
  readonly search?: Search | undefined;
}

/** Declares one entity; with `search` it gains `context_store_search`. */
export function entity<const A extends Actions>(spec: { description: string; actions: A }): Entity<A>;
export function entity<const A extends Actions, const S extends Search>(spec: {
  description: string;
  actions: A;
  search: S;
}): Entity<
  A & {
    /** Searches the replica that a service keeps. */
    readonly context_store_search: SearchAction<S>;
  }
>;
export function entity({
  search,
  actions,
  ...rest
}: {
  description: string;
  actions: Actions;
  search?: Search;
}): Entity {
  if (!search) return { ...rest, actions };
  const context_store_search = searchAction(search, recordOf({ actions }));
  return { ...rest, search, actions: { ...actions, context_store_search } };
}

/** How often a vendor may be asked, and how its replies tell what is left. */
export interface Limits {
  /** No more than `requests` in any `perMs` milliseconds. */
  readonly windows?:
    | ReadonlyArray<{
        /** Requests that fit into the window. */
        readonly requests: number;
        /** Length of the window in milliseconds. */
        readonly perMs: number;
      }>
    | undefined;
  /** No more than so many requests under way at once to one address. */
  readonly concurrent?: number | undefined;
  /** Requests that the vendor allows in a day, where it tells of no limit in its replies; kept to by nobody here. */
  readonly perDay?: number | undefined;
  /** How often a request is repeated at most after faults, whatever the caller asks for. */
  readonly retries?: number | undefined;
  /** Budgets read from a reply's headers: what they mean is the vendor's affair, how they are kept to the engine's. */
  readonly learn?: ((reply: { readonly headers: Headers }) => readonly Budget[]) | undefined;
}

/** Everything there is to know of one connector. */
export interface Manifest {
  /** Type name, such as `linear`; also the import path. */
  readonly name: string;
  /** Other names that clients may use for the type, such as `acme-data-api`. */
  readonly aliases?: readonly string[] | undefined;
  /** The vendor's own spelling. */
  readonly title: string;
  /** What can be reached, in a sentence. */
  readonly description: string;
  /** Version of the connector. */
  readonly version: string;
  /** Id of the type, a UUID that never changes. */
  readonly definitionId: string;
  /** What a user should know and the manifest cannot say, in Markdown; loaded when it is asked for. */
  readonly guide?:
    | (() => Promise<{
        /** Text of the guide, in Markdown. */
        readonly default: string;
      }>)
    | undefined;
  /** Addresses of the vendor. */
  readonly endpoints: Endpoints;
  /** Ways to sign in, by name. */
  readonly auth: Readonly<Record<string, AuthScheme>>;
  /** Limits that calls wait for by themselves. */
  readonly limits?: Limits | undefined;
  /** Choices of the connector's own that its constructor takes, by name, each with what `true` does; `false` when left out. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Entities, by name. */
  readonly entities: Readonly<Record<string, Entity>>;
  /** How a person is helped to connect it; loaded where one is. */
  readonly setup?:
    | (() => Promise<{
        /** How a person is helped to connect. */
        readonly setup: SetupGuide;
      }>)
    | undefined;
  /** How its records come into a replica; loaded where one is kept. */
  readonly replication?:
    | (() => Promise<{
        /** How records are read for a replica. */
        readonly replication: Replication;
      }>)
    | undefined;
  /** Reads the vendor's own account of a failure out of a reply, at `now` by the vendor's clock; `undefined` for none. */
  readonly fault?: ((reply: HttpReply, now: number) => Fault | undefined) | undefined;
  /** What to do about a failure of such a status, where `fault` gives no hint of its own. */
  readonly hints?: Readonly<Record<number, string>> | undefined;
}

/** The record that an entity is about: that of the first action which returns one plainly. */
export const recordOf = ({ actions }: Pick<Entity, 'actions'>): RecordShape | undefined =>
  Object.values(actions).find(({ returns, hostedOnly }) => !hostedOnly && /^records?$/.test(returns.kind))?.returns
    .record;

/** Union of the credentials that a connector accepts. */
export type Credentials<M extends Manifest> = ExclusiveUnion<
  { [K in keyof M['auth']]: NonNullable<M['auth'][K]['~credentials']> }[keyof M['auth']]
>;

/** Each member of a union without the fields that only others have. */
type ExclusiveUnion<
  Union,
  Field extends PropertyKey = Union extends unknown ? keyof Union : never,
> = Union extends unknown ? Union & { [K in Exclude<Field, keyof Union>]?: undefined } : never;

/** Names of a connector's entities. */
export type EntityName<M extends Manifest> = keyof M['entities'] & string;
/** Actions of one entity. */
export type ActionsOf<M extends Manifest, E extends EntityName<M>> = M['entities'][E]['actions'];

/** A property the object itself has: names may come from a model or an address. */
const ownProperty = <T extends object, K extends keyof T>(object: T, key: K): T[K] | undefined =>
  typeof key === 'string' && Object.hasOwn(object, key) ? object[key] : undefined;

/** The action that a call names; one that is not there is refused with the nearest. */
export function findAction({ title, entities }: Manifest, entity: string, action: string): Action {
  const known = ownProperty(entities, entity);
  if (!known) {
    const valid = suggestion(entity, Object.keys(entities), 'entities');
    throw new ConnectorError('unknown_entity', `${title} has no entity ${quoted(entity)}. ${valid}`);
  }
  const spec = ownProperty(known.actions, action);
  if (spec) return spec;
  const valid = suggestion(action, Object.keys(known.actions), 'actions');
  throw new ConnectorError('unknown_action', `${title}'s ${entity} have no action ${quoted(action)}. ${valid}`);
}

const filterNames = /^(q|query|search|filters?|where|sort(by)?|order(by)?)$/i;

/** What to say of a name that a list does not take, where the search of its entity finds or sorts by it. */
export function searchHint(
  { entities }: Manifest,
  entity: string,
  action: string,
): (name: string) => string | undefined {
  return (name) => {
    const { search, actions } = entities[entity]!;
    const { returns, hostedOnly } = actions[action]!;
    if (!search || returns.kind !== 'records' || hostedOnly) return undefined;
    const known = Object.values(search.fields).flat().includes(name);
    return known || filterNames.test(name)
      ? `${entity}.context_store_search filters and sorts records if you have a service: {"query":{"filter":{"eq":{"${known ? name : '<field>'}":<value>}}}}. Without one, read the pages and filter them.`
      : undefined;
  };
}

const effects: Readonly<Record<string, Effect>> = {
  list: 'read',
  get: 'read',
  download: 'read',
  context_store_search: 'read',
  create: 'write',
  update: 'write',
  delete: 'destroy',
};

/** What an action does, from its name unless it says so itself; unknown names count as the worst. */
export const effectOf = (name: string, { effect }: Action): Effect => effect ?? effects[name] ?? 'destroy';
