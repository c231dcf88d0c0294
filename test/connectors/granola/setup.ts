import type { ConnectorOptions, MismatchEvent } from 'agent-connectors';
import { GranolaConnector } from 'agent-connectors/granola';
import { createSandbox, type FaultRule, type Sandbox } from 'agent-connectors-sandbox';
import { playVendor, type Reply } from '../../play-vendor.js';

type Mode = keyof Sandbox['vendors']['granola']['credentials'];

/** A connector on its own sandbox. */
export function connectorOnSandbox({
  mode = 'api_key',
  faults = [],
  ...options
}: { mode?: Mode; faults?: FaultRule[] } & Omit<ConnectorOptions, 'credentials' | 'allow'> = {}) {
  const sandbox = createSandbox({ seed: 7 });
  for (const fault of faults) sandbox.faults.add(fault);
  const credentials = sandbox.vendors.granola.credentials[mode];
  const granola = new GranolaConnector({ credentials, fetch: sandbox.fetch, ...options });
  return { sandbox, granola };
}

/** A connector talking to a vendor that returns these responses in turn, and the requests sent. */
export function connectorWithReplies(...replies: readonly Reply[]) {
  const sent = playVendor(...replies);
  const mismatches: MismatchEvent[] = [];
  const hooks = { onResponseMismatch: (event: MismatchEvent) => void mismatches.push(event) };
  const granola = new GranolaConnector({ credentials: { api_key: 'grn_test' }, retries: 0, hooks });
  return { granola, sent, mismatches };
}
