import {
  type ActionDescription,
  ConnectorError,
  checkSearchFields,
  type ExecuteOptions,
  type Once,
  type Plan,
  shapeResult,
  type View,
  viewData,
} from 'agent-connectors';
import type { ExecuteAnswer } from 'agent-connectors/wire';
import type { Metrics } from '../../common/telemetry.js';
import { digestOfInput } from '../../data/state/canonical-json.js';
import { newId } from '../../data/state/database.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { currentActor, newWriteRecord, type WriteRecord } from '../audit/record-audit.js';
import { hiddenFields, requireReader, withoutValues } from '../connectors/access.js';
import type { Definitions } from '../connectors/definitions.js';
import type { Gate } from '../connectors/gate.js';
import type { Instances } from '../connectors/instances.js';
import type { Searches } from '../connectors/search.js';
import { notFoundError } from '../http-error.js';
import { currentHolding } from '../limits/memory.js';
import type { StorageLimits } from '../limits/storage.js';
import { needsReauthorization } from '../replication/faults.js';
import type { WriteThrough } from '../replication/write-through.js';
import { type AccessWatch, watchStream } from './access-watch.js';
import { asUnresolvable, ownerOf, runIdempotent, type StoredResponse, type WriteOutcome } from './idempotent-write.js';
import { carryOut, planOf, planOfKey, type StoredPlan } from './plans.js';

/** An action call as requested. */
export interface CallInput {
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
  /** Whether the records of a search can be returned as `RecordsJson`; never part of a request body. */
  readonly asJson?: boolean | undefined;
  readonly intent?: string | undefined;
  /** Only prepares a write and returns its plan. */
  readonly dry_run?: boolean | undefined;
  /** The plan to execute. */
  readonly plan?: object | undefined;
  /** Idempotency record of a write; never part of a request body. */
  readonly once?: Once | undefined;
  /** What a write with an idempotency key stores along with it; never part of a request body. */
  readonly record?: WriteRecord | undefined;
  /** The stored plan to execute; never part of a request body. */
  readonly stored?: StoredPlan | undefined;
}

/** Result of an action. */
export interface CallResult {
  readonly data: unknown;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Maximum string length in lists when the caller asks for truncated strings. */
const truncatedLength = 200;

/** Dependencies of calls. */
export interface CallDependencies {
  readonly definitions: Definitions;
  readonly gate: Gate;
  readonly instances: Instances;
  readonly searches: Searches;
  readonly writeThrough: WriteThrough;
  readonly accessWatch: AccessWatch;
  readonly state: Pick<State, 'audit' | 'connectors' | 'ledger' | 'plans' | 'webhooks' | 'atomically'>;
  readonly metrics: Metrics;
  readonly storage: StorageLimits;
  readonly now: () => number;
  readonly report: (error: unknown, requestId: string) => void;
}

/** A call of an action, from any interface, on behalf of the current actor. */
export interface ActionCall {
  readonly row: ConnectorRow;
  readonly input: CallInput;
  readonly dependencies: CallDependencies;
}

/** Runs an action and counts the outcome. */
export const runAction = (call: ActionCall, signal?: AbortSignal): Promise<CallResult> =>
  counted(call, () => execute(call, signal));

/** Runs work for a call and counts the outcome. */
export async function counted<T>({ row, input, dependencies }: ActionCall, work: () => Promise<T>): Promise<T> {
  const { definitions, metrics } = dependencies;
  let outcome = 'success';
  try {
    return await work();
  } catch (error) {
    outcome = ConnectorError.is(error) ? error.code : 'failed';
    throw error;
  } finally {
    // Unknown names are caller input and would create an unbounded number of labels.
    const isKnown = definitions.of(row.type).action(input.entity, input.action) !== undefined;
    const { entity, action } = isKnown ? input : { entity: 'unknown', action: 'unknown' };
    metrics.execution({ type: row.type, entity, action, outcome });
  }
}

/** Runs a write, once per idempotency key, to completion even if the caller disconnects. */
export async function runWrite(call: ActionCall, key: string | undefined, run = attempt): Promise<WriteOutcome> {
  const { row, input, dependencies } = call;
  if (key === undefined) return run(call);
  const { clientId, grantId, requestId } = callerOf();
  const { entity, action, params, select_fields, exclude_fields, view, raw, plan, intent } = input;
  const shaping = [
    select_fields ?? null,
    exclude_fields ?? null,
    raw ?? false,
    ...(plan ? [plan] : []),
    ...(view ? [view] : []),
  ];
  return runIdempotent(dependencies.state, {
    key: { clientId: ownerOf(clientId, grantId), connectorId: row.id, entity, action, key },
    bodyHash: await digestOfInput([params ?? {}, ...shaping]),
    requestId,
    work: ({ once, record }) => run({ ...call, input: { ...input, once, record } }),
    replay: (stored) => replay(call, { params, intent }, stored),
    onStored: (bytes) => dependencies.storage.count({ clientId, organizationId: row.organizationId }, bytes),
    report: (error) => dependencies.report(error, requestId),
  });
}

/** Executes a connector's stored plan, once. */
export async function runPlan(call: ActionCall, id: string, needsApproval = false): Promise<WriteOutcome> {
  const { row, input, dependencies } = call;
  const { clientId, grantId, scopes, requestId } = callerOf();
  // The gate rejects it.
  if (!scopes.includes('write')) return attempt(call);
  const { state, storage, report } = dependencies;
  const { organizationId, workspaceId } = row;
  const plan = await state.plans.get({ organizationId, workspaceId }, id);
  const content = plan?.connectorId === row.id ? await state.plans.content(plan) : undefined;
  if (!plan || !content) throw notFoundError(`plan '${id}'`);
  return carryOut(state, {
    row: plan,
    content,
    awaitsApproval: needsApproval && plan.status === 'pending',
    clientId,
    grantId,
    requestId,
    call: input,
    work: (planned) => attempt({ ...call, input: { ...input, ...planned } }),
    replay: (planned, stored) => replay(call, planned, stored, plan.id),
    onStored: (bytes) => storage.count({ clientId, organizationId }, bytes),
    report: (error) => report(error, requestId),
  });
}

/**
 * Runs an action, once per idempotency key if there is one. If it needs approval, the first call stores the plan, and an
 * identical later call executes it; until the plan is approved, throws `denied_by_policy` with the plan's id.
 */
export async function runWithApproval(call: ActionCall, signal?: AbortSignal, key?: string): Promise<CallResult> {
  const { row, input, dependencies } = call;
  const needsApproval = await dependencies.gate.approvalOf(row, input.entity, input.action);
  if (!needsApproval && key === undefined) return runAction(call, signal);
  const findPlan = () =>
    key === undefined ? planOf(row, input, dependencies) : planOfKey(row, input, dependencies, key);
  const runPlanned = async (planned: ActionCall) => runPlan(planned, (await findPlan()).id, true);
  const outcome = await runWrite(call, key, needsApproval ? runPlanned : attempt);
  if (outcome.kind === 'failed') throw outcome.failure;
  if (outcome.kind === 'done') return { data: outcome.reply.result, meta: outcome.reply.connector_metadata };
  const { result, connector_metadata, code, message, hint } = JSON.parse(outcome.stored.body);
  if (outcome.stored.status === 200) return { data: result, meta: connector_metadata };
  throw asUnresolvable(new ConnectorError(code, message, { hint: hint ?? undefined }));
}

/** Runs a write; its failure is an outcome, too. */
async function attempt(call: ActionCall): Promise<WriteOutcome> {
  const started = performance.now();
  return outcomeOf(async () => {
    const { data, meta } = await runAction(call);
    return { kind: 'done', reply: callReply(call.row, data, meta, started) };
  });
}

/**
 * Passes the gate again, because a policy may have changed since the write. What a write returned may have been returned
 * to another token of the client, so reading it again takes the scope for reads.
 */
function replay(
  { row, input: { entity, action }, dependencies }: ActionCall,
  { params, intent }: Pick<CallInput, 'params' | 'intent'>,
  stored: StoredResponse,
  planId?: string,
): Promise<WriteOutcome> {
  const replayed = { row, entity, action, params, intent, subject: planId, event: 'execute.replayed' };
  return outcomeOf(() =>
    dependencies.gate.pass({ ...replayed, sendsNothing: true }, async () => {
      if (stored.status === 200 && !callerOf().scopes.includes('read')) throw withheldError();
      return { kind: 'replayed', stored };
    }),
  );
}

/** The write was executed, and its stored response is not for this caller. */
export const isWithheld = (failure: unknown): boolean => withheld.has(failure as object);

const withheld = new WeakSet<object>();

function withheldError(): ConnectorError {
  const error = new ConnectorError(
    'forbidden',
    "The write was executed earlier; its stored response requires the 'read' scope.",
    {
      hint: 'Do not send the write again. A token with the scopes read and write gets the response.',
    },
  );
  withheld.add(error);
  return error;
}

const outcomeOf = (work: () => Promise<WriteOutcome>): Promise<WriteOutcome> =>
  work().catch((failure: unknown) => ({ kind: 'failed', failure }));

function callerOf() {
  const { clientId = '', grantId, scopes = [], requestId } = currentActor() ?? {};
  return { clientId, grantId, scopes, requestId: requestId ?? '' };
}

/** The response to a successful call. */
export const callReply = (
  { id }: ConnectorRow,
  result: unknown,
  connector_metadata: ExecuteAnswer['connector_metadata'],
  started: number,
): ExecuteAnswer => ({
  status: 'success',
  result,
  connector_metadata,
  execution_metadata: {
    connector_instance_id: id,
    execution_id: newId('exe'),
    execution_time_ms: Math.round(performance.now() - started),
  },
});

/** Runs a connector action; the service runs searches itself and sends everything else to the vendor. */
export async function execute(
  { row, input, dependencies }: ActionCall,
  signal: AbortSignal | undefined,
): Promise<CallResult> {
  const { definitions, gate, instances, searches, writeThrough, accessWatch, state, now, report } = dependencies;
  const { entity, action, intent, dry_run, plan, stored } = input;
  const definition = definitions.of(row.type);
  const spec = definition.action(entity, action);
  const params = withPageSize(input.params ?? {}, spec);
  // Before the vendor is called, so that even a write can be repeated.
  await currentHolding()?.begin();
  const planned = stored && { plan: stored.row, subject: stored.row.id };
  const { record = newWriteRecord(false) } = input;
  return gate.pass(
    { row, entity, action, params, intent, sendsNothing: dry_run, record, ...planned },
    async (permit) => {
      const once = input.once && recordingOnce(input.once, row, state);
      const options = optionsOf({ ...input, once }, signal);
      try {
        // The connector rejects plans for searches, as it does for every read.
        if (spec?.hosted_only && !dry_run && !plan) {
          const shapedBy = [...(input.select_fields ?? []), ...(input.exclude_fields ?? [])];
          const { search } = definition.manifest.entities[entity]!;
          if (shapedBy.length > 0) await checkSearchFields(options, search!, params, `${entity}.${action}`);
          const selectFields = projectionOf(params);
          const { maxStringLength } = options;
          const shaping = selectFields ?? options.selectFields ?? options.excludeFields ?? maxStringLength;
          const isShaped = shaping !== undefined || options.view === 'concise';
          const names = { shapedBy, snakeCase: input.snakeCase, asJson: input.asJson && !isShaped };
          const found = await searches.search(permit, row, entity, params, names);
          if (!isShaped) return found;
          const whole = await shapeResult(found, { selectFields });
          const viewed = { ...whole, data: viewData(whole.data, spec.concise, options, params) };
          return shapeResult(viewed, options);
        }
        const connector = await instances.get(permit, row);
        if (permit.asUser) {
          await requireReader(permit.asUser, definition, connector, {
            action: `${entity}.${action}`,
            params,
            now: now(),
          });
        }
        // Claim after loading the connector, so its credentials are the ones the plan was created with.
        if (stored) await recording(row, state, stored.claim);
        if (dry_run) return { data: await connector.plan!(entity, action, params, signal && { signal }), meta: {} };
        const noted = { state, report: (error: unknown) => report(error, 'webhooks') };
        const run = (given: ExecuteOptions) =>
          watchingHealth(
            row,
            noted,
            async () => (await connector.execute(entity, action, params, given)) as CallResult,
          );
        if (!spec || spec.effect === 'read') {
          const result = await run(options);
          if (permit.asUser && !(result.data instanceof ReadableStream)) {
            return { ...result, data: withoutValues(result.data, hiddenFields(definition, entity)) };
          }
          if (!(result.data instanceof ReadableStream)) return result;
          return { ...result, data: watchStream(result.data, accessWatch, permit.check) };
        }
        await connector.check?.(entity, action, params, options);
        // Runs without shaping, because the caller may have excluded the id.
        const { selectFields: _, excludeFields: __, view: ___, maxStringLength: ____, ...unshaped } = options;
        const { data, meta } = await run(unshaped);
        const written = writeThrough.recordsOf(row, { entity, params, data });
        record.written = written;
        record.onStored = () => writeThrough.start(row, written);
        return await shapeResult({ data: viewData(data, spec.concise, options, params), meta }, options);
      } catch (error) {
        throw withWireNames(error);
      }
    },
  );
}

/** Records a write; if that fails because the connector was deleted, and its writes with it, it says so. */
async function recording<T>(
  row: ConnectorRow,
  { connectors }: Pick<State, 'connectors'>,
  record: () => T,
): Promise<Awaited<T>> {
  try {
    return await record();
  } catch (failure) {
    // Not from the cache, which may be older than the deletion.
    const current = await connectors.get(row, row.id).catch(() => row);
    throw current ? failure : new ConnectorError('not_found', `Connector '${row.id}' was deleted.`);
  }
}

const recordingOnce = (
  { sent, sending, attempting }: Once,
  row: ConnectorRow,
  state: Pick<State, 'connectors'>,
): Once => ({
  sent,
  sending: (now) => recording(row, state, () => sending(now)),
  attempting: () => recording(row, state, () => attempting?.()),
});

/** Calls the vendor and records what the result indicates about the connector's health. */
async function watchingHealth<T>(
  row: ConnectorRow,
  { state, report }: { readonly state: Pick<State, 'webhooks'>; readonly report: (error: unknown) => void },
  call: () => Promise<T>,
): Promise<T> {
  const note = (...[health, error]: [ConnectorRow['health'], string?]) =>
    state.webhooks.noteHealth(row, row.id, health, error).catch(report);
  try {
    const result = await call();
    if (row.health !== null) await note(null);
    return result;
  } catch (error) {
    if (needsReauthorization(error) && row.health !== 'needs_reauthorization') {
      await note('needs_reauthorization', `${error.code}: ${error.message}`);
    }
    throw error;
  }
}

/** A search's `fields`, applied again so that unknown paths are reported. */
function projectionOf({ fields, semantic }: NonNullable<CallInput['params']>): string[] | undefined {
  if (!Array.isArray(fields)) return undefined;
  const paths = fields.map((path) => (Array.isArray(path) ? path.join('.') : String(path)));
  return semantic === undefined ? paths : ['metadata', ...paths.map((path) => `entity.${path}`)];
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

function optionsOf(input: CallInput, signal: AbortSignal | undefined): ExecuteOptions {
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
