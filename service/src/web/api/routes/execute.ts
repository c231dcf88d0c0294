import { ConnectorError, type Once } from 'agent-connectors';
import * as z from 'zod';
import { digestOf } from '../../../common/canonical.js';
import { newId } from '../../../data/state/database.js';
import type { ConnectorRow } from '../../../data/state/rows.js';
import { type ChunkRange, chunkRange, readChunk } from '../../../domain/connectors/chunk.js';
import { downloadResponse } from '../../../domain/connectors/download.js';
import { type Download, type ExecuteInput, type ExecuteResult, execute } from '../../../domain/connectors/execute.js';
import { runIdempotent, type WriteReply } from '../../../domain/connectors/idempotent-write.js';
import { errorReply, fieldError } from '../../../domain/http-error.js';
import { invalidError } from '../../../domain/validate.js';
import { isPeerClient, requireConnector } from '../authenticate.js';
import { type Call, type Route, route } from '../route.js';
import { ChunkResponse, ExecuteRequest, ExecuteResponse, IdempotencyKey, PlannedResponse } from '../schemas.js';

/** Whether the caller would rather have JSON than bytes. */
const prefersJson = ({ headers }: Request): boolean =>
  /^\s*application\/json\s*(;[^,]*)?$/i.test(headers.get('accept') ?? '');

/** The key of a write, if it has one. */
function idempotencyKey({ headers }: Request): string | undefined {
  const key = headers.get('idempotency-key') ?? undefined;
  if (key === undefined || IdempotencyKey.safeParse(key).success) return key;
  throw invalidError('The request', [fieldError('Idempotency-Key', 'must be 1 to 128 printable ASCII characters')]);
}

/** Runs the action, and counts what became of it. */
async function withMetrics<T>(call: Call, row: ConnectorRow, input: ExecuteInput, work: () => Promise<T>): Promise<T> {
  let outcome = 'success';
  try {
    return await work();
  } catch (error) {
    outcome = ConnectorError.is(error) ? error.code : 'failed';
    throw error;
  } finally {
    const known = (await call.services.definitions.of(row.type)).action(input.entity, input.action) !== undefined;
    // Names that no type has are the caller's own words, of which there is no end.
    const { entity, action } = known ? input : { entity: 'unknown', action: 'unknown' };
    call.services.metrics.execution({ type: row.type, entity, action, outcome });
  }
}

async function json(
  call: Call,
  row: ConnectorRow,
  input: ExecuteInput,
  signal: AbortSignal | undefined,
): Promise<object> {
  const started = performance.now();
  const { data, meta } = await execute(row, input, call.services, signal);
  const isSearch = input.action === 'context_store_search';
  return answer(row, isSearch ? { data, meta } : data, isSearch ? {} : meta, started);
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

/** What a write would send. */
async function planWrite(call: Call, row: ConnectorRow, input: ExecuteInput): Promise<object> {
  const { data } = await execute(row, input, call.services, call.request.signal);
  return { status: 'planned', plan: data };
}

/** A write goes on when its caller has gone, and is answered even where it failed, so that the ledger can keep that. */
async function write(call: Call, row: ConnectorRow, input: ExecuteInput): Promise<Response> {
  const { request, requestId, caller, services } = call;
  const failureReply = (failure: unknown): WriteReply => {
    const { status, headers, body } = errorReply(failure, requestId);
    if (status === 500) services.report(failure, requestId);
    return { status, headers, body, failure };
  };
  const work = async (once?: Once): Promise<WriteReply> => {
    try {
      const body = JSON.stringify(
        await withMetrics(call, row, input, () => json(call, row, { ...input, once }, undefined)),
      );
      return { status: 200, headers: {}, body };
    } catch (failure) {
      return failureReply(failure);
    }
  };
  // The gate refuses whoever may not write, who is shown no stored response either.
  const key = caller.scopes.includes('write') ? idempotencyKey(request) : undefined;
  const { entity, action, params, select_fields, exclude_fields, raw, plan } = input;
  const shaping = [select_fields ?? null, exclude_fields ?? null, raw ?? false, ...(plan ? [plan] : [])];
  const reply =
    key === undefined
      ? await work()
      : await runIdempotent(services.state.ledger, {
          key: { clientId: caller.client.id, connectorId: row.id, entity, action, key },
          bodyHash: digestOf([params ?? {}, ...shaping]),
          ...{ work, toReply: failureReply, report: (error) => services.report(error, requestId) },
        });
  const { status, headers, body } = reply;
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });
}

/** The Python client cannot read bytes: it is given a chunk in an answer like any other, as its parameters say. */
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
    // An empty file has no first byte to ask for.
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
    'Run one action of one entity: one that reads needs the scope read, any other the scope write. A download answers with its bytes, or with a part of them as JSON where Accept is application/json.',
  access: 'organization',
  tokenScope: 'effect',
  body: ExecuteRequest,
  response: z.union([ExecuteResponse, PlannedResponse, ChunkResponse]),
  media: ['application/octet-stream'],
  headers: {
    'Idempotency-Key':
      'Names a write for 24 hours: sent again with the same body, it is answered again and not done again.',
  },
  errors: [404, 409, 424, 429, 502, 504],
  async handle(call) {
    const row = await requireConnector(call);
    const input: ExecuteInput = { ...call.body, snakeCase: isPeerClient(call.request) };
    const spec = (await call.services.definitions.of(row.type)).action(input.entity, input.action);
    if (input.dry_run) return withMetrics(call, row, input, () => planWrite(call, row, input));
    if (spec?.binary) return withMetrics(call, row, input, () => download(call, row, input));
    if (spec && spec.effect !== 'read') return write(call, row, input);
    return withMetrics(call, row, input, () => json(call, row, input, call.request.signal));
  },
});

/** Running actions. */
export const executeRoutes: readonly Route[] = [executeRoute];
