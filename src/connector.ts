import * as z from 'zod';
import type { Action, ParamsOf, ResultOf, Settings } from './action/action.js';
import { checkParams, valueAt } from './action/params.js';
import type { Result } from './action/result.js';
import type { AnyConnector, Inspection } from './any-connector.js';
import type { CallOptions, ExecuteOptions } from './call/execute-options.js';
import {
  type CommonOptions,
  type ConnectorOptions,
  callHook,
  checkConnectorOptions,
  checkExecuteOptions,
  isWhole,
  settingsOf,
} from './call/options.js';
import { createPages, nextParams, type Pages } from './call/paginate.js';
import { checkPlan, type Plan, PlanCreated } from './call/plan.js';
import { type Policy, policyOf } from './call/policy.js';
import { shapeResult, viewData } from './call/shape.js';
import type { Operation } from './call/transport.js';
import { ConnectorError } from './errors/connector-error.js';
import { type DescriptionOf, describe } from './manifest/describe.js';
import { type ActionsOf, conciseOf, effectOf, findAction, type Manifest, searchHint } from './manifest/manifest.js';
import type { Group, Grouping, SearchMeta } from './search/types.js';
import { type Route, selectTransport } from './select-transport.js';

type Args<P, O> = {} extends P ? [params?: P, options?: O] : [params: P, options?: O];

/** Options inferred as `O`, which determines the result; the rest lets editors complete them. */
type Options<O, R extends Result> = O | CallOptions<R['data']>;

interface SearchableAction {
  readonly '~hits': ReadonlyArray<unknown>;
}

/** Arguments after the action's name. `Semantic` and `Grouped` capture parameter types that determine the result. */
type ActionArgs<A extends Action, O, Semantic, Grouped> = [A] extends [SearchableAction]
  ? [
      params: ParamsOf<A> & { readonly semantic?: Semantic; readonly query?: Grouping<Grouped> },
      options?: Options<O, ResultOf<A>>,
    ]
  : Args<ParamsOf<A>, Options<O, ResultOf<A>>>;

type ActionResult<A extends Action, O, Semantic, Grouped> = A extends SearchableAction
  ? Semantic extends object
    ? Result<A['~hits'][number], SearchMeta>
    : [Grouped] extends [undefined]
      ? Shaped<ResultOf<A>, O>
      : Result<Group[], SearchMeta>
  : Shaped<ResultOf<A>, O>;

type FieldSelection =
  | { readonly selectFields: readonly string[] }
  | { readonly excludeFields: readonly string[] }
  | { readonly view: 'concise' };

/** A value in which any part may be missing. */
export type DeepPartial<T> =
  T extends ReadonlyArray<infer Item>
    ? Array<DeepPartial<Item>>
    : T extends object
      ? { [K in keyof T]?: DeepPartial<T[K]> }
      : T;

type Raw<T> = T extends ReadonlyArray<infer Item> ? Array<Item & Record<string, unknown>> : T & Record<string, unknown>;

/** A result shaped by the call's options. */
export type Shaped<R extends Result, O> = O extends FieldSelection
  ? Result<DeepPartial<R['data']>, R['meta']>
  : O extends { readonly raw: true }
    ? Result<Raw<R['data']>, R['meta']>
    : R;

type ListActionName<A> = { [K in keyof A]: A[K] extends Action<any, readonly unknown[], any> ? K : never }[keyof A] &
  string;

type ElementOf<R> = R extends { readonly data: ReadonlyArray<infer T> } ? T : never;
type MetaOf<R> = R extends { readonly meta: infer Meta } ? Meta : never;

/** An action as a method: `linear.issues.list({ first: 10 })`. */
export type ActionMethod<A extends Action> = <
  const O extends ExecuteOptions = {},
  Semantic = undefined,
  Grouped = undefined,
>(
  ...args: ActionArgs<A, O, Semantic, Grouped>
) => Promise<ActionResult<A, O, Semantic, Grouped>>;

/** A connector's entities as properties, with actions as methods. */
export type EntityMethods<M extends Manifest> = {
  readonly [E in keyof M['entities']]: {
    readonly [A in keyof M['entities'][E]['actions']]: ActionMethod<M['entities'][E]['actions'][A]>;
  };
};

/** Options for a planned call. */
type PlanOptions = Pick<ExecuteOptions, 'signal' | 'timeoutMs' | 'intent' | 'beforeAttempt'>;

const unsearchable = 'This connector has no service, so context_store_search fails with hosted_only.';

/** Runs actions with one set of credentials or through a custom transport. */
export class Connector<const M extends Manifest> {
  readonly #manifest: M;
  readonly #options: CommonOptions<M>;
  readonly #settings: Settings;
  readonly #policy: Policy;
  readonly #route: Route;

  constructor(manifest: M, options: CommonOptions<M> = {}) {
    checkConnectorOptions(options, manifest);
    this.#manifest = manifest;
    this.#options = options;
    this.#settings = settingsOf(manifest, options);
    this.#policy = policyOf(manifest, options.readOnly ?? false, options.allow);
    this.#route = selectTransport(manifest, options, this.#policy);
  }

  /**
   * Runs one action of one entity and resolves to `{ data, meta }`; every failure is a `ConnectorError`.
   * @example const { data } = await linear.execute('issues', 'list', { first: 10 });
   */
  execute<
    E extends keyof M['entities'] & string,
    A extends keyof M['entities'][E]['actions'] & string,
    const O extends ExecuteOptions = {},
    Semantic = undefined,
    Grouped = undefined,
  >(
    entity: E,
    action: A,
    ...args: ActionArgs<ActionsOf<M, E>[A], O, Semantic, Grouped>
  ): Promise<ActionResult<ActionsOf<M, E>[A], O, Semantic, Grouped>>;
  async execute(entity: string, action: string, params?: unknown, options: ExecuteOptions = {}): Promise<Result> {
    const operation = await this.#operation(entity, action, params, options);
    const { spec } = operation;
    const result = await this.#route.transport(operation);
    this.#reportMismatches(entity, action, spec, result);
    // Bytes have no fields or strings: shaping a stream like a record would empty it.
    if (spec.returns.binary || isWhole(options)) return result;
    const concise = conciseOf(this.#manifest.entities[entity]!, spec);
    const viewed = { ...result, data: viewData(result.data, concise, options, operation.params) };
    return shapeResult(viewed, options);
  }

  /** Validates a call without making it: throws what `execute` would throw before sending anything. */
  async check(entity: string, action: string, params?: unknown, options: ExecuteOptions = {}): Promise<void> {
    await this.#operation(entity, action, params, options);
  }

  /** Prepares a write without sending it: returns what would be sent, for `execute` to send later. */
  plan<E extends keyof M['entities'] & string, A extends keyof M['entities'][E]['actions'] & string>(
    entity: E,
    action: A,
    ...args: Args<ParamsOf<ActionsOf<M, E>[A]>, PlanOptions>
  ): Promise<Plan>;
  async plan(entity: string, action: string, params?: unknown, options: PlanOptions = {}): Promise<Plan> {
    const operation = await this.#operation(entity, action, params, options);
    if (operation.effect === 'read') {
      throw new ConnectorError('invalid_params', `${entity}.${action} is not a write and needs no plan: call execute.`);
    }
    const planMode = { dryRun: true, id: crypto.randomUUID() } as const;
    try {
      await this.#route.transport({ ...operation, planMode });
    } catch (error) {
      if (error instanceof PlanCreated) return error.plan;
      throw error;
    }
    throw new ConnectorError('unknown_outcome', `${entity}.${action} cannot be planned by this transport.`);
  }

  /** Yields every record of every page of a list, requesting the next page only when needed. */
  paginate<
    E extends keyof M['entities'] & string,
    A extends ListActionName<M['entities'][E]['actions']>,
    const O extends ExecuteOptions = {},
  >(
    entity: E,
    action: A,
    ...args: Args<ParamsOf<ActionsOf<M, E>[A]>, Options<O, ResultOf<ActionsOf<M, E>[A]>>>
  ): Pages<ElementOf<Shaped<ResultOf<ActionsOf<M, E>[A]>, O>>, MetaOf<ResultOf<ActionsOf<M, E>[A]>>>;
  paginate(entity: string, action: string, params: object = {}, options?: ExecuteOptions): Pages<unknown, unknown> {
    const { returns, next } = findAction(this.#manifest, entity, action);
    if (returns.kind !== 'records') {
      throw new ConnectorError('unknown_action', `${entity}.${action} is not a list: call execute.`);
    }
    const run = (this as unknown as AnyConnector).execute.bind(this);
    const load = (page: object) => run(entity, action, page, options) as Promise<Result<unknown[]>>;
    return createPages(load, next, params, options?.signal);
  }

  /** The parameters to add for the next page of a list; undefined at the end. */
  following(entity: string, action: string, params: object, { data, meta }: Result): object | undefined {
    const { next } = findAction(this.#manifest, entity, action);
    const page = { params, data: Array.isArray(data) ? data : [] };
    return nextParams(next, meta, page);
  }

  /** Describes the connector as plain JSON: entities, actions, schemas, credentials. */
  describe(): DescriptionOf<M> {
    return describe(this.#manifest);
  }

  /** The connector's guide in Markdown; empty if it has none. */
  async guide(): Promise<string> {
    return (await this.#manifest.guide?.())?.default ?? '';
  }

  /** Revokes the credentials' tokens at the vendor; false if that is not supported. Throws if the vendor rejects the request. */
  async revoke(): Promise<boolean> {
    return (await this.#route.revoke?.()) ?? false;
  }

  /** Whether there is a service to search; undefined if a custom transport decides. */
  get searchable(): boolean | undefined {
    const { credentials, hosted, transport } = this.#options;
    return transport || credentials === undefined ? undefined : hosted !== undefined;
  }

  /** Where calls go, and the service's search readiness, if there is one. */
  async inspect(): Promise<Inspection> {
    const mode = this.#options.credentials === undefined && this.#route.inspect ? 'hosted' : 'local';
    const reported: Partial<Inspection> = (await this.#route.inspect?.()) ?? {};
    const { context_store_readiness = null, warnings = [unsearchable], known_parameters } = reported;
    return { mode, context_store_readiness, warnings, known_parameters };
  }

  /** One validated call. */
  async #operation(entity: string, action: string, params: unknown, options: ExecuteOptions): Promise<Operation> {
    checkExecuteOptions(options);
    const manifest: Manifest = this.#manifest;
    const spec = findAction(manifest, entity, action);
    const effect = effectOf(action, spec);
    this.#policy.check(entity, action, effect);
    const where = `${entity}.${action}`;
    // No await unless needed: the caller may change the parameters right after the call.
    const schema = spec.loadParams ? await spec.loadParams() : spec.params;
    const checked = checkParams(schema, params, where, searchHint(manifest, entity, action));
    if (options.selectFields ?? options.excludeFields) {
      const { checkPaths } = await import('./call/paths.js');
      checkPaths(options, spec, manifest.entities[entity]?.search, checked, where);
    }
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs ?? spec.timeoutMs?.(checked) ?? 120_000;
    const settings = this.#settings;
    const planMode = options.plan && { expected: checkPlan(options.plan, manifest.name, entity, action) };
    return { manifest, entity, action, effect, params: checked, spec, options, settings, timeoutMs, planMode };
  }

  #reportMismatches(entity: string, action: string, { returns, hostedOnly }: Action, { data, meta }: Result): void {
    const hook = this.#options.hooks?.onResponseMismatch;
    if (!hook || hostedOnly || !returns.data) return;
    const schema = returns.kind === 'records' ? z.array(returns.data) : returns.data;
    // A converted record has all fields, unless the caller's own field mask removed some.
    const depth = returns.kind === 'records' ? 2 : 1;
    const faults = z.safeParse(schema, data).error?.issues ?? [];
    const issues = [
      ...faults.filter(({ path }) => path.length !== depth || valueAt(data, path.map(String)) !== undefined),
      ...((returns.meta && z.safeParse(returns.meta, meta).error?.issues) ?? []),
    ];
    if (issues.length === 0) return;
    const mismatches = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    callHook(hook, () => ({ connector: this.#manifest.name, entity, action, mismatches }));
  }
}

/** A connector class with its manifest and description as statics. */
export interface ConnectorClass<M extends Manifest> {
  /** The connector's manifest. */
  readonly manifest: M;
  /** Describes the connector as plain JSON, without credentials. */
  describe(): DescriptionOf<M>;
  /**
   * Connects with your own credentials, or through a service with `hosted`.
   * @example new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY } });
   */
  new (options?: ConnectorOptions<M>): Connector<M> & EntityMethods<M>;
}

/** Turns a manifest into a class: `export class LinearConnector extends connector({ … }) {}`. */
export function connector<const M extends Manifest>(manifest: M): ConnectorClass<M> {
  class GeneratedConnector extends Connector<M> {
    static readonly manifest = manifest;
    static describe = () => describe(manifest);

    constructor(options?: ConnectorOptions<M>) {
      super(manifest, options);
    }
  }
  for (const [entity, { actions }] of Object.entries(manifest.entities)) {
    if (entity in GeneratedConnector.prototype)
      throw new TypeError(`${manifest.name}: an entity cannot be named '${entity}'.`);
    Object.defineProperty(GeneratedConnector.prototype, entity, {
      get(this: AnyConnector) {
        const run = (action: string) => (params?: unknown, options?: ExecuteOptions) =>
          this.execute(entity, action, params, options);
        const methods = Object.freeze(Object.fromEntries(Object.keys(actions).map((action) => [action, run(action)])));
        Object.defineProperty(this, entity, { value: methods });
        return methods;
      },
    });
  }
  return GeneratedConnector as unknown as ConnectorClass<M>;
}
