import type * as z from 'zod';
import type { AuthScheme } from './auth/scheme.js';
import type { Budget, Fault, HttpReply } from './http/fault.js';
import type { HttpRequest } from './http/request.js';
import type { RecordShape } from './record.js';
import type { Replication } from './replication/types.js';
import type { Result, Returns } from './result.js';
import { type Search, type SearchAction, searchAction } from './search.js';
import type { SetupGuide } from './setup/types.js';

/** What an action does to the vendor's data; retry, policies and hints to agents follow from it. */
export type Effect = 'read' | 'write' | 'destroy';

/** What one call lends to its request. */
export interface Call {
  /** An id made for this call, for vendors that let the client choose it. */
  readonly id: string;
  /** Settings of the connector. */
  readonly settings: Settings;
  /** Aborted when the call ends early, for steps that wait for something other than a reply, such as a caller's stream. */
  readonly signal: AbortSignal;
  /** Present where the write may have to be settled by a later call; `id` is that of an earlier one. */
  readonly once?:
    | {
        /** Id that the record is made under. */
        readonly id?: string | undefined;
      }
    | undefined;
}

/** Choices of the connector's own that its caller has made, by name. */
export type Settings = Readonly<Record<string, boolean>>;

/** What a page was asked with, and what came. */
export interface Page<Params = any> {
  /** Parameters of the page that came. */
  readonly params: Params;
  /** Records of the page that came. */
  readonly data: readonly unknown[];
}

/** Several requests in turn: yields each one, is given the parsed body, and returns what `read` gets. */
export type Steps = Generator<HttpRequest, unknown, any>;

/** The same where the next request waits for something else than a reply, such as a caller's stream. */
export type AsyncSteps = AsyncGenerator<HttpRequest, unknown, any>;

/** One thing that a connector can do. Everything in it is data or a pure function. */
export interface Action<Params = any, Data = any, Meta = any> {
  /** What it does, in a sentence. */
  readonly description: string;
  /** What it does at the vendor; by its name when left out. */
  readonly effect?: Effect | undefined;
  /** Schema of the parameters. */
  readonly params: z.core.$ZodType;
  /** Loads that schema where few programs ever need it; `params` then says no more than that it takes some. */
  readonly loadParams?: (() => Promise<z.core.$ZodType>) | undefined;
  /** What it promises to give. */
  readonly returns: Returns;
  /** Says what to send. */
  readonly request: (params: any, call: Call) => HttpRequest | Steps | AsyncSteps;
  /** Makes data and meta of a body. */
  readonly read: (body: any, params: any, settings: Settings) => ReadResult;
  /** What the next page adds to the parameters; nothing at the end. */
  readonly next?: ((meta: any, page: Page) => object | Nothing) | undefined;
  /** Parameters of a call that works. */
  readonly example: unknown;
  /** True where only a service can run it. */
  readonly hostedOnly?: boolean | undefined;
  /** What `describe()` prints where the schemas cannot say it. */
  readonly schemas?: (() => ActionSchemas) | undefined;
  readonly '~types'?: { readonly params: Params; readonly result: Result<Data, Meta> };
}

/** JSON Schemas of an action that are written by hand. */
export interface ActionSchemas {
  readonly params: object;
  readonly data: object;
  readonly meta: object;
}

/** What `read` makes of a body. */
export interface ReadResult<Meta = unknown> {
  readonly data: unknown;
  readonly meta?: Meta;
  /** True where the caller has chosen the fields, so that absent ones are to stay absent. */
  readonly asSent?: boolean | undefined;
}

type Nothing = false | null | undefined | '';

/** What a connector's author writes of an action. */
export interface ActionSpec<P extends z.core.$ZodType, Data, Meta> {
  /** One sentence, imperative, ending in a full stop. */
  description: string;
  /** Zod object of the parameters; `.describe()` on each is the only place that explains it. */
  params: P;
  /** What it promises to give. */
  returns: Returns<Data, Meta>;
  /** Parameters → one request, or a generator of several. */
  request: (params: z.output<P>, call: Call) => HttpRequest | Steps | AsyncSteps;
  /** Vendor's body → what `returns` shapes. Without it the body is the data. */
  read?: (body: any, params: z.output<P>, settings: Settings) => ReadResult<NoInfer<Meta>>;
  /** This page's meta → the parameters that ask for the next page. */
  next?: (meta: NoInfer<Meta>, page: Page<z.input<NoInfer<P>>>) => Partial<z.input<NoInfer<P>>> | Nothing;
  /** Parameters that a reader can copy. */
  example: z.input<NoInfer<P>>;
  /** Only where the action's name does not say it. */
  effect?: Effect;
}

/** What may stay as it is in parameters, since it is not made of fields. */
type Opaque = Blob | Uint8Array | ReadableStream | ((...args: never) => unknown);

/** Parameters as a caller may hold them: nothing here changes an array, so read-only ones will do. */
export type Given<T> = unknown extends T
  ? T
  : T extends Opaque
    ? T
    : T extends ReadonlyArray<infer Item>
      ? ReadonlyArray<Given<Item>>
      : T extends object
        ? // What holds no array stays as it is, and keeps its name and its notes.
          T[keyof T] extends string | number | boolean | null | undefined
          ? T
          : { [K in keyof T]: Given<T[K]> }
        : T;

/** Declares one action. */
export const action = <P extends z.core.$ZodType, Data, Meta>(
  spec: ActionSpec<P, Data, Meta>,
): Action<Given<z.input<P>>, Data, Meta> => ({
  // A download comes as `{ data, meta }` already.
  read: (body) => (spec.returns.kind === 'bytes' ? body : { data: body }),
  ...spec,
});

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
  return { ...rest, search, actions: { ...actions, context_store_search: searchAction(search) } };
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
  /** How often a request is repeated at most, whatever the caller asks for. */
  readonly retries?: number | undefined;
  /** Budgets read from a reply's headers. */
  readonly learn?: ((reply: { readonly headers: Headers }) => readonly Budget[]) | undefined;
}

/** A vendor's addresses; paths of requests are appended to them. */
export interface Endpoints {
  /** Where actions are sent. */
  readonly api: string;
  /** Where tokens are had, when that is elsewhere. */
  readonly auth?: string | undefined;
  /** Where files are sent, when that is elsewhere. */
  readonly upload?: string | undefined;
  /** Where accounts are asked about, when that is elsewhere. */
  readonly admin?: string | undefined;
  /** Domains below which a customer's own address may lie, for vendors that give each one their own. */
  readonly customers?: readonly string[] | undefined;
}

/** Everything there is to know of one connector. */
export interface Manifest {
  /** Type name, such as `linear`; also the import path. */
  readonly name: string;
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

/** The record that an entity is about: that of the first action which returns one plainly. */
export const recordOf = ({ actions }: Entity): RecordShape | undefined =>
  Object.values(actions).find(({ returns, hostedOnly }) => !hostedOnly && /^records?$/.test(returns.kind))?.returns
    .record;

/** Union of the credentials that a connector accepts. */
export type Credentials<M extends Manifest> = Alone<
  { [K in keyof M['auth']]: NonNullable<M['auth'][K]['~credentials']> }[keyof M['auth']]
>;

/** Each member of a union without the fields that only others have. */
type Alone<Union, Field extends PropertyKey = Union extends unknown ? keyof Union : never> = Union extends unknown
  ? Union & { [K in Exclude<Field, keyof Union>]?: undefined }
  : never;

/** Names of a connector's entities. */
export type EntityName<M extends Manifest> = keyof M['entities'] & string;
/** Actions of one entity. */
export type ActionsOf<M extends Manifest, E extends EntityName<M>> = M['entities'][E]['actions'];
/** Parameters that an action takes. */
export type ParamsOf<A extends Action> = NonNullable<A['~types']>['params'];
/** `{ data, meta }` that an action resolves to. */
export type ResultOf<A extends Action> = NonNullable<A['~types']>['result'];
