import { ConnectorError, type Once } from 'agent-connectors';
import * as z from 'zod';
import { digestOf } from '../../../common/canonical.js';
import { newId } from '../../../data/state/database.js';
import type { ConnectorRow } from '../../../data/state/rows.js';
import type { Actor } from '../../../domain/audit/record-audit.js';
import { type ChunkRange, chunkRange, readChunk } from '../../../domain/connectors/chunk.js';
import { downloadResponse } from '../../../domain/connectors/download.js';
import { type Download, type ExecuteInput, type ExecuteResult, execute } from '../../../domain/connectors/execute.js';
import { runIdempotent, type WriteReply } from '../../../domain/connectors/idempotent-write.js';
import { errorReply, fieldError, notFoundError } from '../../../domain/http-error.js';
import { carryOut } from '../../../domain/plans/carry-out.js';
import { invalidError } from '../../../domain/validate.js';
import { isPeerClient, requireConnector } from '../authenticate.js';
import { type Call, type Route, route, type Services } from '../route.js';
import { ChunkResponse, ExecuteRequest, ExecuteResponse, IdempotencyKey, PlannedResponse } from '../schemas.js';

/** An action call and its caller. */
export interface ActionCall {
  readonly row: ConnectorRow;
  readonly input: ExecuteInput;
  readonly actor: Pick<Actor, 'clientId' | 'scopes'>;
  readonly requestId: string;
  readonly services: Services;
}

/** Runs the action and counts the outcome. */
async function withMetrics<T>({ row, input, services }: ActionCall, work: () => Promise<T>): Promise<T> {
  let outcome = 'success';
  try {
    return await work();
  } catch (error) {
    outcome = ConnectorError.is(error) ? error.code : 'failed';
    throw error;
  } finally {
    const known = services.definitions.of(row.type).action(input.entity, input.action) !== undefined;
    // Unknown names are caller input and would create an unbounded number of labels.
    const { entity, action } = known ? input : { entity: 'unknown', action: 'unknown' };
    services.metrics.execution({ type: row.type, entity, action, outcome });
  }
}

/** Runs the action and returns the response body. */
async function runAction({ row, input, services }: ActionCall, signal?: AbortSignal): Promise<object> {
  const started = performance.now();
  const { data, meta } = await execute(row, input, services, signal);
  const isSearch = input.action === 'context_store_search';
  return answer(row, isSearch ? { data, meta } : data, isSearch ? {} : meta, started);
}

/** Runs a write to completion even if the caller disconnects, and converts errors to responses for the ledger. */
async function runWrite(call: ActionCall, key: string | undefined): Promise<WriteReply> {
  const { row, input, actor, services } = call;
  const { work, replay, toReply, report } = replying(call);
  if (key === undefined) return work(input);
  const { entity, action, params, select_fields, exclude_fields, view, raw, plan } = input;
  const shaping = [
    select_fields ?? null,
    exclude_fields ?? null,
    raw ?? false,
    ...(plan ? [plan] : []),
    ...(view ? [view] : []),
  ];
  return runIdempotent(services.state.ledger, {
    key: { clientId: actor.clientId, connectorId: row.id, entity, action, key },
    bodyHash: digestOf([params ?? {}, ...shaping]),
    work: (once: Once) => work({ ...input, once }),
    replay: (stored) => replay(input, stored),
    toReply,
    report,
  });
}

/** Executes a connector's plan by id. */
export async function runPlan(call: ActionCall, id: string): Promise<WriteReply> {
  const { row, input, actor, services } = call;
  const { work, ...others } = replying(call);
  // The gate rejects it.
  if (!actor.scopes.includes('write')) return work(input);
  const { plans } = services.state;
  const { organizationId, workspaceId } = row;
  const plan = await plans.get({ organizationId, workspaceId }, id);
  const content = plan?.connectorId === row.id ? await plans.content(plan) : undefined;
  if (!plan || !content) throw notFoundError(`plan '${id}'`);
  return carryOut(services.state, { row: plan, content, clientId: actor.clientId, input, work, ...others });
}

/** How to run or replay a write, and to convert its outcome to a response. */
function replying(call: ActionCall) {
  const { requestId, services } = call;
  const report = (error: unknown) => services.report(error, requestId);
  const toReply = (failure: unknown): WriteReply => {
    const { status, headers, body } = errorReply(failure, requestId);
    if (status === 500) report(failure);
    return { status, headers, body, failure };
  };
  const work = async (input: ExecuteInput): Promise<WriteReply> => {
    const running = { ...call, input };
    try {
      return { status: 200, headers: {}, body: JSON.stringify(await withMetrics(running, () => runAction(running))) };
    } catch (failure) {
      return toReply(failure);
    }
  };
  // A policy may have changed since the write.
  const replay = ({ entity, action, params, intent }: ExecuteInput, stored: WriteReply, planId?: string) => {
    const replayed = { row: call.row, entity, action, params, intent, subject: planId, event: 'execute.replayed' };
    return services.gate.pass({ ...replayed, sendsNothing: true }, async () => stored).catch(toReply);
  };
  return { work, replay, toReply, report };
}

/** Whether the caller prefers JSON over bytes. */
const prefersJson = ({ headers }: Request): boolean =>
  /^\s*application\/json\s*(;[^,]*)?$/i.test(headers.get('accept') ?? '');

/** A write's idempotency key, if any. */
function idempotencyKey({ headers }: Request): string | undefined {
  const key = headers.get('idempotency-key') ?? undefined;
  if (key === undefined || IdempotencyKey.safeParse(key).success) return key;
  throw invalidError('The request', [fieldError('Idempotency-Key', 'must be 1 to 128 printable ASCII characters')]);
}

const answer = (row: ConnectorRow, result: unknown, connector_metadata: object, started: number): object => ({
  status: 'success',
  result,
  connector_metadata,
  execution_metadata: {
    connector_instance_id: row.id,
    execution_id: newId('exe'),
    execution_time_ms: Math.round(performance.now() - started),
  },
});

/** Returns the request that a write would send. */
async function planWrite({ row, input, services }: ActionCall, signal: AbortSignal): Promise<object> {
  const { data } = await execute(row, input, services, signal);
  return { status: 'planned', plan: data };
}

const replyOf = ({ status, headers, body }: WriteReply): Response =>
  new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });

/** The Python client cannot read bytes: it gets a chunk as JSON, according to its parameters. */
async function downloadForPeer(call: Call, row: ConnectorRow, input: ExecuteInput): Promise<object> {
  const started = performance.now();
  const { _airbyte_response_type: _, _airbyte_response_format: format, ...params } = input.params ?? {};
  const chosen = format === 'text' || format === 'base64' ? format : undefined;
  const chunk = (await downloadChunk(call, row, { ...input, params }, chosen)) as object;
  return answer(row, chunk, {}, started);
}

async function download(call: Call, row: ConnectorRow, input: ExecuteInput): Promise<unknown> {
  if (input.params?._airbyte_response_type === 'json' || isPeerClient(call.request)) {
    return downloadForPeer(call, row, input);
  }
  if (prefersJson(call.request)) return downloadChunk(call, row, input);
  return downloadResponse(asDownload(await execute(row, input, call.services, call.request.signal)));
}

async function downloadChunk(
  call: Call,
  row: ConnectorRow,
  input: ExecuteInput,
  format?: 'text' | 'base64',
): Promise<unknown> {
  const { signal } = call.request;
  const run = (range?: ChunkRange) => {
    const params = range ? { ...input.params, range_header: range.header } : input.params;
    return execute(row, { ...input, params }, call.services, signal).then(asDownload);
  };
  const requestedRange = input.params?.range_header;
  const range = chunkRange(requestedRange);
  try {
    return await readChunk(await run(range), range, format);
  } catch (error) {
    // An empty file has no first byte to request.
    if (requestedRange !== undefined || !ConnectorError.is(error) || error.status !== 416) throw error;
    return readChunk(await run(), range, format);
  }
}

const asDownload = ({ data, meta }: ExecuteResult) => ({ data, meta }) as unknown as Download;

const executeRoute = route({
  method: 'POST',
  path: '/api/v1/integrations/connectors/{id}/execute',
  operationId: 'execute',
  summary:
    'Run an action. Reads require the read scope, all other actions the write scope. A download returns the file’s bytes, or part of them as JSON if Accept is application/json.',
  access: 'organization',
  tokenScope: 'effect',
  forPersons: true,
  body: ExecuteRequest,
  response: z.union([ExecuteResponse, PlannedResponse, ChunkResponse]),
  media: ['application/octet-stream'],
  headers: {
    'Idempotency-Key': 'Identifies a write for 24 hours: a retry with the same body returns the stored response.',
  },
  errors: [404, 409, 424, 429, 502, 504],
  async handle(call) {
    const row = await requireConnector(call);
    const { plan_id, ...body } = call.body;
    const input: ExecuteInput = { ...body, snakeCase: isPeerClient(call.request) };
    if (plan_id !== undefined && (input.plan || input.dry_run)) {
      throw invalidError('The request', [fieldError('', 'plan_id cannot be combined with plan or dry_run')]);
    }
    const { caller, request, requestId, services } = call;
    const actor = { clientId: caller.client.id, scopes: caller.scopes };
    const running: ActionCall = { row, input, actor, requestId, services };
    if (plan_id !== undefined) return replyOf(await runPlan(running, plan_id));
    const spec = services.definitions.of(row.type).action(input.entity, input.action);
    if (input.dry_run) return withMetrics(running, () => planWrite(running, request.signal));
    if (spec?.binary) return withMetrics(running, () => download(call, row, input));
    if (!spec || spec.effect === 'read') return withMetrics(running, () => runAction(running, request.signal));
    // Ignore the key if the caller has no write access: the gate rejects the call, and a stored response must not be
    // returned either.
    const key = actor.scopes.includes('write') ? idempotencyKey(request) : undefined;
    return replyOf(await runWrite(running, key));
  },
});

/** Routes that run actions. */
export const executeRoutes: readonly Route[] = [executeRoute];
