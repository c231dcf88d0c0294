import { ConnectorError } from '../call/errors.js';
import type { Operation } from '../call/transport.js';
import { unknownFate } from './fate.js';
import type { HttpRequest, Settlement } from './request.js';

/** Sends a look-up and gives the parsed body. */
type Ask = (request: HttpRequest) => Promise<unknown>;

/** What the vendor says became of a write; nothing where it does not show it. */
type Told = { readonly body: unknown } | undefined;

const begun = new WeakSet<Operation>();

/** Has the caller note a write before it is sent for the first time; one that it noted in an earlier call is looked for. */
export async function noted(request: HttpRequest, operation: Operation, ask: Ask): Promise<Told> {
  if (begun.has(operation)) return undefined;
  begun.add(operation);
  const { sent, sending } = operation.options.once!;
  const { settle } = request;
  if (sent) {
    const told = await lookedFor(operation, settle?.id === sent.id && settle.by === sent.by ? settle : undefined, ask);
    if (told) return told;
  }
  await sending({ id: settle?.id ?? '', by: settle?.by ?? null });
  return undefined;
}

async function lookedFor(operation: Operation, settle: Settlement | undefined, ask: Ask): Promise<Told> {
  const before = new ConnectorError('network', 'the call that sent it ended without an answer.');
  if (!settle) throw unknownOutcome(operation, before, undefined);
  const told = await look(settle, ask).catch((error) => {
    throw ConnectorError.is(error) ? unknownOutcome(operation, error, settle) : error;
  });
  if (told || settle.by !== 'values') return told;
  throw unknownOutcome(operation, before, settle);
}

/** A write's reply was lost: asks the vendor what became of it, where the request says how. */
export async function settled(
  { settle }: HttpRequest,
  operation: Operation,
  error: ConnectorError,
  ask: Ask | undefined,
): Promise<unknown> {
  // Values may have been there before, so that they tell nothing of a write which may still arrive.
  if (settle && settle.by !== 'values' && ask) {
    const told = await look(settle, ask).catch(() => null);
    if (told) return told.body;
    // The vendor has refused the repeat, and the look-up shows that nothing was done.
    if (told === undefined && !unknownFate.has(error)) throw error;
  }
  throw unknownOutcome(operation, error, settle);
}

async function look({ by, request, read }: Settlement, ask: Ask): Promise<Told> {
  const found = await ask({ ...request, effect: 'read' }).then(
    (body) => ({ body }),
    (error: unknown) => {
      if (ConnectorError.is(error) && error.code === 'not_found') return undefined;
      throw error;
    },
  );
  if (by === 'absence') return found ? undefined : { body: null };
  const body = found && read(found.body);
  return body === undefined ? undefined : { body };
}

function unknownOutcome(
  { entity, action }: Operation,
  error: ConnectorError,
  settle: Settlement | undefined,
): ConnectorError {
  const where = !settle
    ? 'look for what it should have changed'
    : settle.by === 'id'
      ? `look for ${settle.id}, the id that it was given`
      : `look at ${settle.id}, which it should have changed`;
  return new ConnectorError(
    'unknown_outcome',
    `${entity}.${action} was sent, but what became of it is not known: ${error.message}`,
    {
      status: error.status,
      retryable: false,
      vendor: error.vendor,
      hint: `Before you repeat it, ${where}.`,
      cause: error,
    },
  );
}
