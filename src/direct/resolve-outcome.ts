import type { Once } from '../call/execute-options.js';
import type { Operation } from '../call/transport.js';
import { ConnectorError } from '../errors/connector-error.js';
import { callEnded, outcomeUnknown } from '../http/outcome.js';
import type { HttpRequest, Settlement } from '../http/request.js';

/** Sends a lookup and returns the parsed body. */
type SendLookup = (request: HttpRequest) => Promise<unknown>;

/** The outcome of a write according to the vendor; undefined if the lookup does not show one. */
type WriteOutcome = { readonly body: unknown } | undefined;

const recordedOperations = new WeakSet<Operation>();

/** Lets the caller record a write before it is first sent; a write recorded by an earlier call is looked up. */
export async function recordWrite(
  request: HttpRequest,
  operation: Operation,
  sendLookup: SendLookup,
): Promise<WriteOutcome> {
  if (recordedOperations.has(operation)) return undefined;
  recordedOperations.add(operation);
  const once = operation.options.once!;
  const { sent } = once;
  const { settle } = request;
  if (sent) {
    const outcome = await resolveEarlierWrite(
      operation,
      settle?.id === sent.id && settle.by === sent.by ? settle : undefined,
      sendLookup,
    );
    if (outcome) return outcome;
  }
  await stoppable(() => once.sending({ id: settle?.id ?? '', by: settle?.by ?? null }), 'sending', 'write');
  return undefined;
}

/** Lets the caller stop an attempt to send a modifying request. */
export const announceAttempt = (once: Once): Promise<void> =>
  stoppable(() => once.attempting?.(), 'attempting', 'request');

async function stoppable(callback: () => unknown, name: keyof Once, unsent: string): Promise<void> {
  try {
    await callback();
  } catch (cause) {
    if (ConnectorError.is(cause)) throw cause;
    throw new ConnectorError('aborted', `once.${name} failed, so the ${unsent} was not sent.`, { cause });
  }
}

async function resolveEarlierWrite(
  operation: Operation,
  settle: Settlement | undefined,
  sendLookup: SendLookup,
): Promise<WriteOutcome> {
  const lostReply = new ConnectorError('network', 'the call that sent it ended without a response.');
  if (!settle) throw unknownOutcomeError(operation, lostReply, undefined);
  const outcome = await lookUpOutcome(settle, sendLookup).catch((error) => {
    throw ConnectorError.is(error) ? unknownOutcomeError(operation, error, settle) : error;
  });
  if (outcome || settle.by !== 'values') return outcome;
  throw unknownOutcomeError(operation, lostReply, settle);
}

/** After a write's response was lost, looks the outcome up at the vendor if the request defines how. */
export async function resolveLostReply(
  { settle }: HttpRequest,
  operation: Operation,
  error: ConnectorError,
  sendLookup: SendLookup | undefined,
): Promise<unknown> {
  // The values may already have been there, so they prove nothing about a write still in transit.
  if (settle && settle.by !== 'values' && sendLookup) {
    const outcome = await lookUpOutcome(settle, sendLookup).catch(() => null);
    if (outcome) return outcome.body;
    // The vendor rejected the repeated request, and the lookup shows that nothing was done.
    if (outcome === undefined && !outcomeUnknown.has(error)) throw error;
  }
  throw unknownOutcomeError(operation, error, settle);
}

async function lookUpOutcome({ by, request, read }: Settlement, sendLookup: SendLookup): Promise<WriteOutcome> {
  const found = await sendLookup({ ...request, effect: 'read' }).then(
    (body) => ({ body }),
    (error: unknown) => {
      // Unless the request was not sent at all.
      if (ConnectorError.is(error) && error.code === 'not_found' && !callEnded.has(error)) return undefined;
      throw error;
    },
  );
  if (by === 'absence') return found ? undefined : { body: null };
  const body = found && read(found.body);
  return body === undefined ? undefined : { body };
}

function unknownOutcomeError(
  { entity, action }: Operation,
  error: ConnectorError,
  settle: Settlement | undefined,
): ConnectorError {
  const advice = !settle
    ? 'check whether the change was made'
    : settle.by === 'id'
      ? `look for the record with the assigned id ${settle.id}`
      : `check ${settle.id}, which the call should have changed`;
  return new ConnectorError(
    'unknown_outcome',
    `${entity}.${action} was sent, but its outcome is unknown: ${error.message}`,
    {
      status: error.status,
      retryable: false,
      vendor: error.vendor,
      hint: `Before you retry, ${advice}.`,
      cause: error,
    },
  );
}
