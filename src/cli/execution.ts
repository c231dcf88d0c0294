import { ConnectorError } from '../call/errors.js';
import type { Result } from '../call/result.js';
import { downloadMeta, streamBody } from '../http/download.js';
import type { Session } from './hosted.js';

/** One action for a service to run. */
export interface ExecuteInput {
  readonly id: string;
  readonly entity: string;
  readonly action: string;
  readonly params: object;
  readonly binary: boolean;
  /** For writes: lets the service tell a repetition from a second write. */
  readonly key: string | undefined;
  readonly intent: string | undefined;
  readonly selectFields?: readonly string[] | undefined;
  readonly excludeFields?: readonly string[] | undefined;
}

/** Has a service run an action; only what carries a key, or changes nothing, is ever sent twice. */
export async function executeOnService(session: Session, input: ExecuteInput, signal: AbortSignal): Promise<Result> {
  const { id, entity, action, params, binary, key, intent, selectFields, excludeFields } = input;
  const { range_header: range } = params as { range_header?: string };
  const request = {
    method: 'POST' as const,
    path: `/integrations/connectors/${encodeURIComponent(id)}/execute`,
    json: {
      ...{ entity, action, params },
      ...(selectFields && { select_fields: selectFields }),
      ...(excludeFields && { exclude_fields: excludeFields }),
      ...(intent !== undefined && { intent }),
    },
    headers: {
      ...(binary && { accept: 'application/octet-stream, */*;q=0.9' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    idempotent: true,
    change: key === undefined ? undefined : `${entity}.${action}`,
    streaming: binary,
    lifetime: session.lifetime(),
  };
  if (!binary) {
    try {
      return resultOf(await session.service.json(request), action);
    } catch (error) {
      throw key !== undefined && isLostWrite(error) ? withRetryHint(key, error) : error;
    }
  }
  const received = await session.service.send(request);
  const sent = { method: 'GET' as const, url: '', ...(range !== undefined && { headers: { range } }) };
  const clean = (text: string) => text;
  const data = received.bytes ? streamBody(received.bytes, { signal, idleMs: 60_000, clean }) : new Blob([]).stream();
  return { data, meta: downloadMeta(received, sent) };
}

function resultOf(body: any, action: string): Result {
  if (typeof body !== 'object' || body === null || body.status !== 'success' || !('result' in body)) {
    throw new ConnectorError('invalid_response', 'The service’s answer has no result.');
  }
  const { result, connector_metadata: meta } = body;
  if (action === 'context_store_search') return { data: result?.data ?? [], meta: result?.meta ?? {} };
  return { data: result, meta: meta ?? {} };
}

/** Whether a change was lost on the way to the service; of one that the service lost, it says itself what to do. */
const isLostWrite = (error: unknown): error is ConnectorError =>
  ConnectorError.is(error) && error.code === 'unknown_outcome' && ConnectorError.is(error.cause);

function withRetryHint(key: string, { message, status, vendor, cause }: ConnectorError): ConnectorError {
  return new ConnectorError('unknown_outcome', message, {
    ...{ status, vendor, cause },
    retryable: false,
    hint: `Run it again with "idempotency_key":"${key}": what was done is then not done twice.`,
  });
}
