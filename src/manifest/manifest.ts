import type { Action, Effect } from '../action/action.js';
import type { RecordShape } from '../action/result.js';
import type { AuthScheme } from '../auth/scheme.js';
import { ConnectorError } from '../errors/connector-error.js';
import { quoted, suggestion } from '../errors/nearest.js';
import type { Fault, HttpReply } from '../http/fault.js';
import type { Limits } from '../http/limiter.js';
import type { Endpoints } from '../http/request.js';
import { type SearchAction, searchAction } from '../search/search.js';
import type { Search } from '../search/types.js';
import type { Replication } from './replication.js';
import type { SetupGuide } from './setup.js';

/** Actions of an entity, by name. */
export type Actions = Readonly<Record<string, Action>>;

/** A kind of record and its actions. */
export interface Entity<A extends Actions = Actions> {
  /** One-sentence description. */
  readonly description: string;
  /** Its actions, by name. */
  readonly actions: A;
  /** What a service can search. */
  readonly search?: Search | undefined;
}

/** Declares an entity; with `search` it also gets `context_store_search`. */
export function entity<const A extends Actions>(spec: { description: string; actions: A }): Entity<A>;
export function entity<const A extends Actions, const S extends Search>(spec: {
  description: string;
  actions: A;
  search: S;
}): Entity<
  A & {
    /** Searches a service's replica. */
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

/** The complete definition of a connector. */
export interface Manifest {
  /** Type name, such as `linear`; also the import path. */
  readonly name: string;
  /** Other names that clients may use for the type, such as `acme-data-api`. */
  readonly aliases?: readonly string[] | undefined;
  /** Display name, in the vendor's spelling. */
  readonly title: string;
  /** What it gives access to, in one sentence. */
  readonly description: string;
  /** Version of the connector. */
  readonly version: string;
  /** Id of the type, a UUID that never changes. */
  readonly definitionId: string;
  /** What users should know in addition to the manifest, in Markdown; loaded on demand. */
  readonly guide?:
    | (() => Promise<{
        /** Text of the guide, in Markdown. */
        readonly default: string;
      }>)
    | undefined;
  /** The vendor's base URLs. */
  readonly endpoints: Endpoints;
  /** Auth modes, by name. */
  readonly auth: Readonly<Record<string, AuthScheme>>;
  /** Rate limits; calls wait to stay within them. */
  readonly limits?: Limits | undefined;
  /** Connector-specific settings by name, with the meaning of `true`; `false` by default. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Entities, by name. */
  readonly entities: Readonly<Record<string, Entity>>;
  /**
   * By entity: the record fields (dotted paths) and parameters that identify a record of an entity by its id, or, as
   * `entity.field`, by another field; such as `{ issues: { 'team.id': 'teams' } }`.
   */
  readonly relations?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /**
   * OAuth scopes by `entity.action`, `entity` or `*`, the most specific first: alternatives, each a scope or several that
   * are all required.
   */
  readonly scopes?: Readonly<Record<string, ReadonlyArray<string | readonly string[]>>> | undefined;
  /** Setup guide for users; loaded on demand. */
  readonly setup?:
    | (() => Promise<{
        /** Setup guide. */
        readonly setup: SetupGuide;
      }>)
    | undefined;
  /** How its records are replicated; loaded on demand. */
  readonly replication?:
    | (() => Promise<{
        /** Replication of its records. */
        readonly replication: Replication;
      }>)
    | undefined;
  /** Parses the vendor's own error from a response; `undefined` if there is none. `now` is the vendor's time. */
  readonly fault?: ((reply: HttpReply, now: number) => Fault | undefined) | undefined;
  /** Hints by status, used if `fault` does not return one. */
  readonly hints?: Readonly<Record<number, string>> | undefined;
}

/** An entity's record type: that of the first action that returns one directly. */
export const recordOf = ({ actions }: Pick<Entity, 'actions'>): RecordShape | undefined =>
  Object.values(actions).find(({ returns, hostedOnly }) => !hostedOnly && /^records?$/.test(returns.kind))?.returns
    .record;

/** Union of the credentials that a connector accepts. */
export type Credentials<M extends Manifest> = ExclusiveUnion<
  { [K in keyof M['auth']]: NonNullable<M['auth'][K]['~credentials']> }[keyof M['auth']]
>;

/** Each union member, with the fields of the others excluded. */
type ExclusiveUnion<
  Union,
  Field extends PropertyKey = Union extends unknown ? keyof Union : never,
> = Union extends unknown ? Union & { [K in Exclude<Field, keyof Union>]?: undefined } : never;

/** Names of a connector's entities. */
export type EntityName<M extends Manifest> = keyof M['entities'] & string;
/** Actions of an entity. */
export type ActionsOf<M extends Manifest, E extends EntityName<M>> = M['entities'][E]['actions'];

/** Reads only own properties, since names may come from a model or a URL. */
const ownProperty = <T extends object, K extends keyof T>(object: T, key: K): T[K] | undefined =>
  typeof key === 'string' && Object.hasOwn(object, key) ? object[key] : undefined;

/** Finds the action of a call; if it is unknown, throws an error that suggests the closest match. */
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

/** Hint for a name that a list does not accept but that the entity's search can filter or sort by. */
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
      ? `${entity}.context_store_search filters and sorts records, if you have a service: {"query":{"filter":{"eq":{"${known ? name : '<field>'}":<value>}}}}. Without a service, read the pages and filter the records yourself.`
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

/** An action's effect, derived from its name by default; unknown names are treated as the most severe. */
export const effectOf = (name: string, { effect }: Action): Effect => effect ?? effects[name] ?? 'destroy';

/** Dotted paths of the main fields of an action's data; undefined for all fields. */
export function conciseOf(entity: Entity, { concise, returns, hostedOnly }: Action): readonly string[] | undefined {
  if (concise) return concise;
  if (hostedOnly) return conciseOfSearch(entity);
  const { kind, key, record } = returns;
  const { concise: fields, more = [] } = record?.view ?? {};
  if (!fields || kind === 'records') return fields;
  if (kind === 'saved') return ['success', ...fields.map((path) => `${key}.${path}`)];
  return [...fields, ...more];
}

/** The main fields of the entity's list that a replica also has; undefined if its records differ too much. */
function conciseOfSearch(entity: Entity): readonly string[] | undefined {
  const { search, actions } = entity;
  const listed = actions.list && conciseOf(entity, actions.list);
  const known = new Set(Object.values(search?.fields ?? {}).flat());
  const kept = listed?.filter((path) => known.has(path.split('.')[0]!));
  return kept && kept.length * 2 > listed!.length ? kept : undefined;
}
