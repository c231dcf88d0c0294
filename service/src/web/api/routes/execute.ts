import type { Plan } from 'agent-connectors';
import {
  ChunkResponse,
  type ExecuteAnswer,
  ExecuteRequest,
  ExecuteResponse,
  IdempotencyKey,
  PlannedResponse,
} from 'agent-connectors/wire';
import * as z from 'zod';
import {
  type ActionCall,
  type CallInput,
  callReply,
  runAction,
  runPlan,
  runWrite,
} from '../../../domain/calls/call.js';
import { type Chunk, downloadChunk, downloadFile } from '../../../domain/calls/download.js';
import type { WriteOutcome } from '../../../domain/calls/idempotent-write.js';
import { errorReply, fieldError } from '../../../domain/http-error.js';
import { isPeerClient, jsonResponse, requireConnector } from '../handle-request.js';
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

/** A read's response. */
async function read(call: ActionCall, signal: AbortSignal): Promise<ExecuteAnswer> {
  const started = performance.now();
  const { data, meta } = await runAction(call, signal);
  const isSearch = call.input.action === 'context_store_search';
  return callReply(call.row, isSearch ? { data, meta } : data, isSearch ? {} : meta, started);
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
  forPersons: true,
  body: ExecuteRequest,
  response: z.union([ExecuteResponse, PlannedResponse, ChunkResponse]),
  media: ['application/octet-stream'],
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

/** Routes that run actions. */
export const executeRoutes: readonly Route[] = [executeRoute];
