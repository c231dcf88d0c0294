import {
  type ActionDescription,
  ConnectorError,
  checkSearchFields,
  type DownloadMeta,
  type ExecuteOptions,
  type Once,
  type Plan,
  shapeResult,
  type View,
  viewData,
} from 'agent-connectors';
import type { PlanRow } from '../../data/state/plan-types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import type { WriteThrough } from '../replication/write-through.js';
import { requireReader } from './access.js';
import type { Definitions } from './definitions.js';
import type { Gate } from './gate.js';
import { watchingHealth } from './health.js';
import type { Instances } from './instances.js';
import type { Searches } from './search.js';

/** An action call as requested. */
export interface ExecuteInput {
  readonly entity: string;
  readonly action: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly select_fields?: readonly string[] | undefined;
  readonly exclude_fields?: readonly string[] | undefined;
  readonly view?: View | undefined;
  readonly skip_truncation?: boolean | undefined;
  readonly raw?: boolean | undefined;
  /** Whether search results use snake_case for fields that the request does not list; never part of a request body. */
  readonly snakeCase?: boolean | undefined;
  readonly intent?: string | undefined;
  /** Only prepares a write and returns its plan. */
  readonly dry_run?: boolean | undefined;
  /** The plan to execute. */
  readonly plan?: object | undefined;
  /** Idempotency record of a write; never part of a request body. */
  readonly once?: Once | undefined;
  /** The stored plan to execute; never part of a request body. */
  readonly stored?: StoredPlan | undefined;
}

/** A stored plan being executed. */
export interface StoredPlan {
  readonly row: PlanRow;
  /** Claims the plan or throws if it must not be executed; called once the connector is available. */
  claim(): Promise<void>;
}

/** Result of an action. */
export interface ExecuteResult {
  readonly data: unknown;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** A file being streamed. */
export interface Download {
  readonly data: ReadableStream<Uint8Array>;
  readonly meta: DownloadMeta;
}

/** Maximum string length in lists when the caller asks for truncated strings. */
const truncatedLength = 200;

/** Dependencies of action execution. */
export interface ExecuteDependencies {
  readonly definitions: Definitions;
  readonly gate: Gate;
  readonly instances: Instances;
  readonly searches: Searches;
  readonly writeThrough: WriteThrough;
  readonly state: Pick<State, 'webhooks'>;
  readonly now: () => number;
  readonly report: (error: unknown, requestId: string) => void;
}

/** Runs a connector action; the service runs searches itself and sends everything else to the vendor. */
export async function execute(
  row: ConnectorRow,
  input: ExecuteInput,
  { definitions, gate, instances, searches, writeThrough, state, now, report }: ExecuteDependencies,
  signal: AbortSignal | undefined,
): Promise<ExecuteResult> {
  const { entity, action, intent, dry_run, plan, stored } = input;
  const params = withPageSize(input.params ?? {}, definitions.of(row.type).action(entity, action));
  const planned = stored && { plan: stored.row, subject: stored.row.id };
  return gate.pass({ row, entity, action, params, intent, sendsNothing: dry_run, ...planned }, async (permit) => {
    const definition = definitions.of(row.type);
    const options = optionsOf(input, signal);
    try {
      // The connector rejects plans for searches, as it does for every read.
      const spec = definition.action(entity, action);
      if (spec?.hosted_only && !dry_run && !plan) {
        const shapedBy = [...(input.select_fields ?? []), ...(input.exclude_fields ?? [])];
        const { search } = definition.manifest.entities[entity]!;
        if (shapedBy.length > 0) await checkSearchFields(options, search!, params, `${entity}.${action}`);
        const names = { shapedBy, snakeCase: input.snakeCase };
        const found = await searches.search(permit, row, entity, params, names);
        const selectFields = projectionOf(params);
        const { maxStringLength } = options;
        const isShaped = selectFields ?? options.selectFields ?? options.excludeFields ?? maxStringLength;
        if (isShaped === undefined && options.view !== 'concise') return found;
        const whole = await shapeResult(found, { selectFields });
        const viewed = { ...whole, data: viewData(whole.data, spec.concise, options, params) };
        return shapeResult(viewed, options);
      }
      const connector = await instances.get(permit, row);
      if (permit.asUser) await requireReader(permit.asUser, definition, connector, params, now());
      // Claim after loading the connector, so its credentials are the ones the plan was created with.
      await stored?.claim();
      if (dry_run) return { data: await connector.plan!(entity, action, params, signal && { signal }), meta: {} };
      const noted = { state, report: (error: unknown) => report(error, 'webhooks') };
      const run = (given: ExecuteOptions) =>
        watchingHealth(
          row,
          noted,
          async () => (await connector.execute(entity, action, params, given)) as ExecuteResult,
        );
      if (!spec || spec.effect === 'read') return await run(options);
      await connector.check?.(entity, action, params, options);
      // Runs without shaping, because the caller may have excluded the id.
      const { selectFields: _, excludeFields: __, view: ___, maxStringLength: ____, ...unshaped } = options;
      const { data, meta } = await run(unshaped);
      await writeThrough(row, { entity, params, data });
      return await shapeResult({ data: viewData(data, spec.concise, options, params), meta }, options);
    } catch (error) {
      throw withWireNames(error);
    }
  });
}

/** A search's `fields`, applied again so that unknown paths are reported. */
function projectionOf({ fields, semantic }: NonNullable<ExecuteInput['params']>): string[] | undefined {
  if (!Array.isArray(fields)) return undefined;
  const paths = fields.map((path) => (Array.isArray(path) ? path.join('.') : String(path)));
  return semantic === undefined ? paths : ['metadata', ...paths.map((path) => `entity.${path}`)];
}

/** A write to prepare, with the id of its future plan. */
export interface PrepareInput extends Pick<ExecuteInput, 'entity' | 'action' | 'params' | 'intent'> {
  readonly id: string;
}

/** Prepares a write without sending it and stores its plan; recorded in the audit log. */
export function prepare<T>(
  row: ConnectorRow,
  input: PrepareInput,
  { gate, instances }: ExecuteDependencies,
  store: (plan: Plan) => Promise<T>,
): Promise<T> {
  const { id, entity, action, params = {}, intent } = input;
  const call = { row, entity, action, params, intent, sendsNothing: true, event: 'plan.prepared', subject: id };
  return gate.pass(call, async (permit) => {
    const connector = await instances.get(permit, row);
    return store(await connector.plan!(entity, action, params));
  });
}

const pageSizes = ['first', 'page_size', 'pageSize'];

/** Every list accepts `limit` and passes it on as the vendor's page size, or drops it if the vendor's list has none. */
function withPageSize(
  params: Readonly<Record<string, unknown>>,
  action: ActionDescription | undefined,
): Readonly<Record<string, unknown>> {
  const { limit, ...others } = params;
  if (action?.name !== 'list' || !Number.isInteger(limit) || (limit as number) < 1) return params;
  const { properties, anyOf } = action.params as JsonForm;
  const names = Object.assign({}, ...[{ properties }, ...(anyOf ?? [])].map((form) => form.properties ?? {}));
  if (names.limit) return params;
  const name = pageSizes.find((size) => names[size]);
  if (name === undefined) return others;
  const { minimum = 1, maximum = limit } = names[name];
  return { [name]: Math.min(Math.max(limit as number, minimum), maximum as number), ...others };
}

interface JsonForm {
  readonly properties?: Readonly<Record<string, { readonly minimum?: number; readonly maximum?: number }>>;
  readonly anyOf?: ReadonlyArray<Pick<JsonForm, 'properties'>>;
}

function optionsOf(input: ExecuteInput, signal: AbortSignal | undefined): ExecuteOptions {
  const { action, select_fields, exclude_fields, view, skip_truncation = true, raw, plan, once } = input;
  const truncates = !skip_truncation && (action === 'list' || action === 'context_store_search');
  return {
    ...(signal && { signal }),
    ...(select_fields && { selectFields: select_fields }),
    ...(exclude_fields && { excludeFields: exclude_fields }),
    ...(view && { view }),
    ...(raw && { raw }),
    ...(plan && { plan: plan as Plan }),
    ...(once && { once }),
    ...(truncates && { maxStringLength: truncatedLength }),
  };
}

const wireNames: Readonly<Record<string, string>> = { selectFields: 'select_fields', excludeFields: 'exclude_fields' };

/** Renames the library's shaping options to their wire names. */
function withWireNames(error: unknown): unknown {
  if (!ConnectorError.is(error)) return error;
  const renamed = error.issues?.find(({ path }) => Object.hasOwn(wireNames, path))?.path;
  if (renamed === undefined) return error;
  const { code, message, issues = [], hint, docs } = error;
  return new ConnectorError(code, message.replace(renamed, wireNames[renamed]!), {
    issues: issues.map(({ path, message: text }) => ({ path: wireNames[path] ?? path, message: text })),
    hint,
    docs,
  });
}
