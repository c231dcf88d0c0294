import type * as z from 'zod';
import type { HttpRequest } from '../http/request.js';
import type { Result, Returns } from './result.js';

/** An action's effect on the vendor's data; retries, policies and hints for agents depend on it. */
export type Effect = 'read' | 'write' | 'destroy';

/** Per-call context of a request. */
export interface Call {
  /** An id generated for this call, for vendors that let the client choose it. */
  readonly id: string;
  /** Settings of the connector. */
  readonly settings: Settings;
  /** True if the caller wants everything the vendor sends, including fields not in the schema. */
  readonly raw?: boolean | undefined;
  /**
   * Aborted when the call ends early, for steps that wait for something other than a response, such as a caller's
   * stream.
   */
  readonly signal: AbortSignal;
  /** Set if a later call may have to resolve the write; `id` is from an earlier call. */
  readonly once?:
    | {
        /** Id to create the record with. */
        readonly id?: string | undefined;
      }
    | undefined;
}

/** Connector-specific settings chosen by the caller, by name. */
export type Settings = Readonly<Record<string, boolean>>;

/** A page's request and records. */
export interface Page<Params = any> {
  /** Parameters of the page. */
  readonly params: Params;
  /** Records of the page. */
  readonly data: readonly unknown[];
}

/** Several requests in sequence: yields each one, receives its parsed body, and returns the input of `read`. */
export type Steps = Generator<HttpRequest, unknown, any>;

/** Like `Steps`, for requests that wait for something other than a response, such as a caller's stream. */
export type AsyncSteps = AsyncGenerator<HttpRequest, unknown, any>;

/** A connector's action, made only of data and pure functions. */
export interface Action<Params = any, Data = any, Meta = any> {
  /** What it does, in a sentence. */
  readonly description: string;
  /** Its effect on the vendor's data; derived from its name by default. */
  readonly effect?: Effect | undefined;
  /** Schema of the parameters. */
  readonly params: z.core.$ZodType;
  /**
   * Loads the parameter schema on demand if few programs need it; `params` then only indicates that there are
   * parameters.
   */
  readonly loadParams?: (() => Promise<z.core.$ZodType>) | undefined;
  /** Its result. */
  readonly returns: Returns;
  /** Builds the request. */
  readonly request: (params: any, call: Call) => HttpRequest | Steps | AsyncSteps;
  /** Converts a body to data and meta. */
  readonly read: (body: any, params: any, settings: Settings) => ReadResult;
  /** Parameters for the next page; undefined at the end. */
  readonly next?: ((meta: any, page: Page) => object | NoNextPage) | undefined;
  /** Parameters of an example call that works. */
  readonly example: unknown;
  /** Default timeout in milliseconds for a call with these parameters; 120,000 if undefined. */
  readonly timeoutMs?: ((params: any) => number) | undefined;
  /** Dotted paths of the main fields of `data`; by default those of its record. */
  readonly concise?: readonly string[] | undefined;
  /** True if only a service can run it. */
  readonly hostedOnly?: boolean | undefined;
  /** Schemas that `describe()` prints where the Zod schemas are not expressive enough. */
  readonly schemas?: (() => ActionSchemas) | undefined;
  readonly '~types'?: { readonly params: Params; readonly result: Result<Data, Meta> };
}

/** Handwritten JSON Schemas for an action. */
export interface ActionSchemas {
  readonly params: object;
  readonly data: object;
  readonly meta: object;
}

/** Result of `read`. */
export interface ReadResult<Meta = unknown> {
  readonly data: unknown;
  readonly meta?: Meta;
  /** Sentences for `meta.notes` on what a connector's defaults omitted or changed; false values are skipped. */
  readonly notes?: ReadonlyArray<string | false> | undefined;
  /** True if the caller has chosen the fields, so that missing ones stay missing. */
  readonly asSent?: boolean | undefined;
}

type NoNextPage = false | null | undefined | '';

/** An action as written by a connector author. */
export interface ActionSpec<P extends z.core.$ZodType, Data, Meta> {
  /** One imperative sentence, ending with a period. */
  description: string;
  /** Zod object of the parameters; explain each with `.describe()` and nowhere else. */
  params: P;
  /** Its result. */
  returns: Returns<Data, Meta>;
  /** Parameters → one request, or a generator of several. */
  request: (params: z.output<P>, call: Call) => HttpRequest | Steps | AsyncSteps;
  /** Vendor's body → input of `returns`. By default the body is the data. */
  read?: (body: any, params: z.output<P>, settings: Settings) => ReadResult<NoInfer<Meta>>;
  /** This page's meta → the parameters for the next page; at the end, nothing or an empty cursor. */
  next?: (meta: NoInfer<Meta>, page: Page<z.input<NoInfer<P>>>) => Partial<z.input<NoInfer<P>>> | NoNextPage;
  /** Sample parameters for readers to copy. */
  example: z.input<NoInfer<P>>;
  /** Needed only if the action's name does not imply it. */
  effect?: Effect;
  /** Default timeout of a call in milliseconds; 120,000 if undefined. */
  timeoutMs?: (params: z.output<P>) => number;
  /** Needed only if it differs from the record's. */
  concise?: readonly string[];
}

/** Parameter values that are not plain objects; left unchanged. */
type Opaque = Blob | Uint8Array | ReadableStream | ((...args: never) => unknown);

/** Parameters as callers can pass them: arrays are never modified, so read-only ones are accepted. */
export type ReadonlyInput<T> = unknown extends T
  ? T
  : // Unions of names keep their own name, too.
    [T] extends [Opaque | string | number | boolean | null | undefined]
    ? T
    : T extends Opaque
      ? T
      : T extends ReadonlyArray<infer Item>
        ? ReadonlyArray<ReadonlyInput<Item>>
        : T extends object
          ? // A type without arrays is unchanged, so it keeps its name and documentation.
            T[keyof T] extends string | number | boolean | null | undefined
            ? T
            : { [K in keyof T]: ReadonlyInput<T[K]> }
          : T;

/** Declares one action. */
export const action = <P extends z.core.$ZodType, Data, Meta>(
  spec: ActionSpec<P, Data, Meta>,
): Action<ReadonlyInput<z.input<P>>, Data, Meta> => ({
  // A download is already `{ data, meta }`.
  read: (body) => (spec.returns.kind === 'bytes' ? body : { data: body }),
  ...spec,
});

/** An action's parameters. */
export type ParamsOf<A extends Action> = NonNullable<A['~types']>['params'];

/** An action's `{ data, meta }`. */
export type ResultOf<A extends Action> = NonNullable<A['~types']>['result'];
