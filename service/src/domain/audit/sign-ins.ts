import type { AuditLog } from '../../data/state/audit/types.js';
import type { Client } from '../../data/state/rows.js';

/** Somebody who has shown who they are, or has not. */
export interface SignIn {
  readonly event: 'sign_in' | 'sign_out' | 'token';
  /** Of a refusal, the one that was claimed to be; of none there is no log to put it down in. */
  readonly client: Client | undefined;
  readonly via: 'http' | 'console';
  readonly outcome: 'success' | 'unauthorized';
  readonly requestId: string;
  readonly address: string | undefined;
}

/** Puts a sign-in down in the log of each of the client's organisations. */
export async function noteSignIn(log: AuditLog, signIn: SignIn): Promise<void> {
  const { event, client, via, outcome, requestId, address } = signIn;
  for (const organizationId of client?.organizationIds ?? []) {
    await log.recordSoon({
      ...{ organization_id: organizationId, event, client_id: client?.id ?? null, via, outcome },
      ...{ request_id: requestId, address: address ?? null },
      ...{ workspace_id: null, connector_id: null, connector_type: null, entity: null, action: null, effect: null },
      ...{ params_digest: null, intent: null, begun_as: null, duration_ms: null },
    });
  }
}
