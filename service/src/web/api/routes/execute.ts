import { ConnectorError } from 'agent-connectors';
import * as z from 'zod';
import type { ConnectorRow } from '../../../data/state/rows.js';
import { type ChunkRange, chunkRange, readChunk } from '../../../domain/connectors/chunk.js';
import { downloadResponse } from '../../../domain/connectors/download.js';
import { type Download, type ExecuteInput, type ExecuteResult, execute } from '../../../domain/connectors/execute.js';
import type { WriteReply } from '../../../domain/connectors/idempotent-write.js';
import { fieldError } from '../../../domain/http-error.js';
import { invalidError } from '../../../domain/validate.js';
import { requireConnector } from '../authenticate.js';
import { type Call, type Route, route } from '../route.js';
import { type ActionCall, runAction, runPlan, runWrite, withMetrics } from '../run-action.js';
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

/** What a write would send. */
async function planWrite({ row, input, services }: ActionCall, signal: AbortSignal): Promise<object> {
  const { data } = await execute(row, input, services, signal);
  return { status: 'planned', plan: data };
}

const replyOf = ({ status, headers, body }: WriteReply): Response =>
  new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });

async function download(call: Call, row: ConnectorRow, input: ExecuteInput): Promise<unknown> {
  const { signal } = call.request;
  const run = (range?: ChunkRange) => {
    const params = range ? { ...input.params, range_header: range.header } : input.params;
    return execute(row, { ...input, params }, call.services, signal).then(asDownload);
  };
  if (!prefersJson(call.request)) return downloadResponse(await run());
  const requestedRange = input.params?.range_header;
  const range = chunkRange(requestedRange);
  try {
    return await readChunk(await run(range), range);
  } catch (error) {
    // An empty file has no first byte to ask for.
    if (requestedRange !== undefined || !ConnectorError.is(error) || error.status !== 416) throw error;
    return readChunk(await run(), range);
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
    const { plan_id, ...input } = call.body;
    const { caller, request, requestId, services } = call;
    const actor = { clientId: caller.client.id, scopes: caller.scopes };
    const running: ActionCall = { row, input, actor, requestId, services };
    if (plan_id !== undefined) return replyOf(await runPlan(running, plan_id));
    const spec = (await services.definitions.of(row.type)).action(input.entity, input.action);
    if (input.dry_run) return withMetrics(running, () => planWrite(running, request.signal));
    if (spec?.binary) return withMetrics(running, () => download(call, row, input));
    if (!spec || spec.effect === 'read') return withMetrics(running, () => runAction(running, request.signal));
    // The gate refuses whoever may not write, who is shown no stored response either.
    const key = actor.scopes.includes('write') ? idempotencyKey(request) : undefined;
    return replyOf(await runWrite(running, key));
  },
});

/** Running actions. */
export const executeRoutes: readonly Route[] = [executeRoute];
