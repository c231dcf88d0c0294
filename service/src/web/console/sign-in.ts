import type { SignInRequest } from 'agent-connectors/wire';
import type * as z from 'zod';
import type { ConsoleSession, ConsoleSessions } from '../../data/state/console-sessions.js';
import type { Client } from '../../data/state/rows.js';
import { recordSignIn } from '../../domain/audit/record-audit.js';
import { httpError } from '../../domain/http-error.js';
import type { RequestAdmission } from '../../domain/limits/admission.js';
import { claimedClient } from '../api/attempts.js';
import type { Services } from '../api/route.js';

/** Where a sign-in comes from. */
export interface SignInOrigin {
  readonly requestId: string;
  readonly address: string | undefined;
  readonly admission: Pick<RequestAdmission, 'countAttempt' | 'countWrongSecret'>;
}

/** A new session and its owner. */
export interface BegunSession {
  readonly session: ConsoleSession & { readonly token: string };
  readonly client: Client;
}

/** Starts or rejects a console session; both are recorded. */
export async function beginSession(
  { state, attempts, storage }: Pick<Services, 'state' | 'attempts' | 'storage'>,
  sessions: ConsoleSessions,
  input: z.output<typeof SignInRequest>,
  { requestId, address, admission }: SignInOrigin,
): Promise<BegunSession> {
  // Links do not identify a client: invalid ones are counted only by address.
  const name = input.client_id ?? 'link';
  const verified = input.client_id && (await state.clients.verify(input.client_id, input.client_secret ?? ''));
  if (verified) {
    const [organizationId = ''] = verified.organizationIds;
    await admission.countAttempt(verified.id);
    await storage.admitChange({ clientId: verified.id, organizationId });
  }
  const session = await (input.link
    ? sessions.redeemLink(input.link)
    : verified
      ? sessions.begin(verified.id)
      : undefined);
  const client = session && (await state.clients.get(session.clientId));
  const record = (of: Client | undefined, outcome: 'success' | 'unauthorized') =>
    recordSignIn(state.audit, { event: 'sign_in', client: of, outcome, via: 'console', requestId, address });
  if (!session || !client) {
    await admission.countWrongSecret(name);
    await attempts.recordFailure(name, address ?? '');
    await record(
      input.client_id === undefined ? undefined : await claimedClient(state, input.client_id),
      'unauthorized',
    );
    throw httpError(
      401,
      'unauthorized',
      input.link ? 'This link has already been used or is older than ten minutes.' : 'Incorrect client id or secret.',
    );
  }
  await record(client, 'success');
  return { session, client };
}
