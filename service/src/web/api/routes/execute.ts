import { type Plan, runBatch } from 'agent-connectors';
import {
  BatchRequest,
  BatchResponse,
  ChunkResponse,
  type ExecuteAnswer,
  ExecuteRequest,
  ExecuteResponse,
  IdempotencyKey,
  PlannedResponse,
} from 'agent-connectors/wire';
import * as z from 'zod';
import { RecordsJson } from '../../../data/records/index.js';
import {
  type ActionCall,
  type CallInput,
  callReply,
  isWithheld,
  runAction,
  runPlan,
  runWithApproval,
  runWrite,
} from '../../../domain/calls/call.js';
import { type Chunk, downloadChunk, downloadFile } from '../../../domain/calls/download.js';
import { isResolvable, type WriteOutcome } from '../../../domain/calls/idempotent-write.js';
import { asConnectorError, errorReply, fieldError, isInternal } from '../../../domain/http-error.js';
import { jsonResponse } from '../body.js';
import { isPeerClient, requireConnector } from '../handle-request.js';
import { invalidError } from '../input.js';
import { type Call, type Route, route } from '../route.js';

/** Whether the caller prefers JSON over bytes. */
const prefersJson = ({ headers }: Request): boolean =>
  /^\s*application\/json\s*(;[^,]*)?$/i.test(headers.get('accept') ?? '');

/** A write's idempotency key, if any. */
function idempotencyKey({ headers }: Request): string | undefined {
  const key = headers.get('idempotency-key') ?? undefined;
  if (key === undefined || IdempotencyKey.safeParse(key).success) return key;
  throw invalidError('The request', [fieldError('Idempotency-Key', 'must be 1 to 128 printable ASCII characters')]);
}

/** A read's response, or its JSON. */
async function read(call: ActionCall, signal: AbortSignal): Promise<ExecuteAnswer | Uint8Array[]> {
  const started = performance.now();
  const { data, meta } = await runAction({ ...call, input: { ...call.input, asJson: true } }, signal);
  if (call.input.action !== 'context_store_search') return callReply(call.row, data, meta, started);
  const reply = callReply(call.row, { data, meta }, {}, started);
  return data instanceof RecordsJson ? data.within(reply) : reply;
}

/** A write's response. */
function responseTo(outcome: WriteOutcome, { requestId, services }: Call): Response {
  switch (outcome.kind) {
    case 'done':
      return jsonResponse(200, JSON.stringify(outcome.reply));
    case 'replayed':
      return jsonResponse(outcome.stored.status, outcome.stored.body, { 'idempotent-replayed': 'true' });
    case 'failed': {
      const { status, body, headers } = errorReply(outcome.failure, requestId);
      if (status === 500) services.report(outcome.failure, requestId);
      return jsonResponse(status, body, headers);
    }
  }
}

/** The Python client cannot read bytes: it gets a chunk as JSON, according to its parameters. */
async function downloadForPeer(call: ActionCall, signal: AbortSignal): Promise<ExecuteAnswer> {
  const started = performance.now();
  const { _airbyte_response_type: _, _airbyte_response_format: format, ...params } = call.input.params ?? {};
  const chosen = format === 'text' || format === 'base64' ? format : undefined;
  const chunk = await downloadChunk({ ...call, input: { ...call.input, params } }, signal, chosen);
  return callReply(call.row, chunk, {}, started);
}

function download(call: ActionCall, request: Request): Promise<ExecuteAnswer | Chunk | Response> {
  const { signal } = request;
  const isPeer = call.input.params?._airbyte_response_type === 'json' || isPeerClient(request);
  if (isPeer) return downloadForPeer(call, signal);
  return prefersJson(request) ? downloadChunk(call, signal) : downloadFile(call, signal);
}

const executeRoute = route({
  method: 'POST',
  path: '/api/v1/integrations/connectors/{id}/execute',
  operationId: 'execute',
  summary:
    'Run an action. Reads require the read scope, all other actions the write scope. A download returns the file’s bytes, or part of them as JSON if Accept is application/json.',
  access: 'organization',
  tokenScope: 'effect',
  isChange: false,
  forPersons: true,
  body: ExecuteRequest,
  response: z.union([ExecuteResponse, PlannedResponse, ChunkResponse]),
  // Generated clients read one type of response per operation, so the bytes of a download are not documented as one.
  headers: {
    'Idempotency-Key': 'Identifies a write for 24 hours: a retry with the same body returns the stored response.',
  },
  errors: [404, 409, 424, 429, 502, 504],
  async handle(call) {
    const row = await requireConnector(call, call.services.state.access.connector);
    const { plan_id, ...body } = call.body;
    const { caller, request, services } = call;
    const input: CallInput = { ...body, snakeCase: isPeerClient(request) };
    if (plan_id !== undefined && (input.plan || input.dry_run)) {
      throw invalidError('The request', [fieldError('', 'plan_id cannot be combined with plan or dry_run')]);
    }
    const action: ActionCall = { row, input, dependencies: services };
    if (plan_id !== undefined) return responseTo(await runPlan(action, plan_id), call);
    const spec = services.definitions.of(row.type).action(input.entity, input.action);
    if (input.dry_run) return { status: 'planned', plan: (await runAction(action, request.signal)).data as Plan };
    if (spec?.binary) return download(action, request);
    if (!spec || spec.effect === 'read') return read(action, request.signal);
    // Ignore the key if the caller has no write access: the gate rejects the call, and a stored response must not be
    // returned either.
    const key = caller.scopes.includes('write') ? idempotencyKey(request) : undefined;
    return responseTo(await runWrite(action, key), call);
  },
});

type BatchWrites = z.output<typeof BatchRequest>['writes'];

const batchRoute = route({
  method: 'POST',
  path: '/api/v1/integrations/connectors/{id}/execute/batch',
  operationId: 'executeBatch',
  summary:
    'Run up to 25 writes in order, each with an idempotency key. If the outcome of one is unknown, the rest is not sent: repeating the request looks it up, if it is resolvable, and sends only what is not done. A write that needs approval gets a plan, and is executed by the same request after its approval.',
  access: 'organization',
  tokenScope: 'write',
  isChange: false,
  body: BatchRequest,
  response: BatchResponse,
  errors: [404, 409, 424, 429, 502, 504],
  async handle(call) {
    const row = await requireConnector(call);
    const { body, request, requestId, services } = call;
    const { writes, intent } = body;
    await checkWrites(row.type, writes, services);
    // Each write counts as a request; the batch itself was counted as one.
    await call.admission.countCalls(call.caller.client.id, writes.length - 1);
    const send = async ({ key, ...write }: BatchWrites[number]) => {
      try {
        return await runWithApproval({ row, input: { ...write, intent }, dependencies: services }, undefined, key);
      } catch (failure) {
        // The write is done; what it returned is not for this token.
        if (isWithheld(failure)) return { data: null };
        if (!isInternal(failure)) throw asConnectorError(failure);
        services.report(failure, requestId);
        throw failure;
      }
    };
    const outcomes = await runBatch(
      writes.map((write) => () => send(write)),
      request.signal,
    );
    const results = outcomes.map((outcome, index) => {
      const { key } = writes[index]!;
      if (outcome.status === 'done') return { key, status: outcome.status, result: outcome.result.data };
      if (outcome.status === 'not_sent') return { key, status: outcome.status };
      const error = JSON.parse(errorReply(outcome.error, requestId).body);
      if (outcome.status === 'failed') return { key, status: outcome.status, error };
      return { key, status: outcome.status, error, resolvable: isResolvable(outcome.error) };
    });
    return { status: results.every(({ status }) => status === 'done') ? ('success' as const) : 'partial', results };
  },
});

/** Rejects a batch with an invalid write before anything is sent. */
async function checkWrites(type: string, writes: BatchWrites, { definitions }: Call['services']) {
  const definition = definitions.of(type);
  const connector = definition.make({});
  const faults = await Promise.all(
    writes.map(async ({ entity, action, params }, index) => {
      const fault = (message: string) => fieldError(`writes.${index}`, message);
      if (definition.action(entity, action)?.effect === 'read') return [fault(`${entity}.${action} makes no changes`)];
      try {
        await connector.check?.(entity, action, params);
        return [];
      } catch (error) {
        return [fault(asConnectorError(error).message)];
      }
    }),
  );
  if (faults.flat().length > 0) throw invalidError('The request', faults.flat());
}

/** Routes that run actions. */
export const executeRoutes: readonly Route[] = [executeRoute, batchRoute];
