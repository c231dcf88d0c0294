import type * as z from 'zod';
import type { Result, Returns } from '../call/result.js';
import type { HttpRequest } from '../http/request.js';

/** What an action does to the vendor's data; retry, policies and hints to agents follow from it. */
export type Effect = 'read' | 'write' | 'destroy';

/** What one call lends to its request. */
export interface Call {
  /** An id made for this call, for vendors that let the client choose it. */
  readonly id: string;
  /** Settings of the connector. */
  readonly settings: Settings;
  /** True where the caller wants all that the vendor sends, also what records here do not list. */
  readonly raw?: boolean | undefined;
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
  readonly next?: ((meta: any, page: Page) => object | NoNextPage) | undefined;
  /** Parameters of a call that works. */
  readonly example: unknown;
  /** Milliseconds that a call with these parameters may take where its caller sets no limit; 120,000 when left out. */
  readonly timeoutMs?: ((params: any) => number) | undefined;
  /** Dotted paths of `data` that a person would read first; by its record when left out. */
  readonly concise?: readonly string[] | undefined;
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
  /** Sentences about what a default of the connector left out or changed, for `meta.notes`; those that are false are skipped. */
  readonly notes?: ReadonlyArray<string | false> | undefined;
  /** True where the caller has chosen the fields, so that absent ones are to stay absent. */
  readonly asSent?: boolean | undefined;
}

type NoNextPage = false | null | undefined | '';

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
  next?: (meta: NoInfer<Meta>, page: Page<z.input<NoInfer<P>>>) => Partial<z.input<NoInfer<P>>> | NoNextPage;
  /** Parameters that a reader can copy. */
  example: z.input<NoInfer<P>>;
  /** Only where the action's name does not say it. */
  effect?: Effect;
  /** Milliseconds that a call may take where its caller sets no limit; 120,000 when left out. */
  timeoutMs?: (params: z.output<P>) => number;
  /** Only where it differs from what the record says. */
  concise?: readonly string[];
}

/** What may stay as it is in parameters, since it is not made of fields. */
type Opaque = Blob | Uint8Array | ReadableStream | ((...args: never) => unknown);

/** Parameters as a caller may hold them: nothing here changes an array, so read-only ones will do. */
export type ReadonlyInput<T> = unknown extends T
  ? T
  : T extends Opaque
    ? T
    : T extends ReadonlyArray<infer Item>
      ? ReadonlyArray<ReadonlyInput<Item>>
      : T extends object
        ? // What holds no array stays as it is, and keeps its name and its notes.
          T[keyof T] extends string | number | boolean | null | undefined
          ? T
          : { [K in keyof T]: ReadonlyInput<T[K]> }
        : T;

/** Declares one action. */
export const action = <P extends z.core.$ZodType, Data, Meta>(
  spec: ActionSpec<P, Data, Meta>,
): Action<ReadonlyInput<z.input<P>>, Data, Meta> => ({
  // A download comes as `{ data, meta }` already.
  read: (body) => (spec.returns.kind === 'bytes' ? body : { data: body }),
  ...spec,
});

/** Parameters that an action takes. */
export type ParamsOf<A extends Action> = NonNullable<A['~types']>['params'];

/** `{ data, meta }` that an action resolves to. */
export type ResultOf<A extends Action> = NonNullable<A['~types']>['result'];
