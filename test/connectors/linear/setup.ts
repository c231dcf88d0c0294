import type { ConnectorOptions, MismatchEvent } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox, type FaultRule, type Sandbox } from 'agent-connectors-sandbox';
import { playVendor, type Reply } from '../../play-vendor.js';

export { collect } from '../calls.js';

type Mode = keyof Sandbox['vendors']['linear']['credentials'];

/** A connector on its own sandbox. */
export function connectorOnSandbox({
  mode = 'api_key',
  faults = [],
  ...options
}: { mode?: Mode; faults?: FaultRule[] } & Omit<ConnectorOptions, 'credentials' | 'allow'> = {}) {
  const sandbox = createSandbox({ seed: 7 });
  for (const fault of faults) sandbox.faults.add(fault);
  const credentials = sandbox.vendors.linear.credentials[mode];
  const linear = new LinearConnector({ credentials, fetch: sandbox.fetch, ...options });
  return { sandbox, linear };
}

/**
 * A connector talking to a vendor that returns these responses in turn, then repeats the last one; and the requests
 * sent.
 */
export function connectorWithReplies(...replies: readonly Reply[]) {
  const sent = playVendor(...replies);
  const mismatches: MismatchEvent[] = [];
  const linear = new LinearConnector({
    credentials: { api_key: 'lin_api_test' },
    retries: 0,
    hooks: { onResponseMismatch: (event) => mismatches.push(event) },
  });
  return { linear, sent, mismatches };
}

/** The body of a list response. */
export const listOf = (field: string, nodes: object[], endCursor: string | null = null, hasNextPage = false) => ({
  data: { [field]: { nodes, pageInfo: { hasNextPage, endCursor } } },
});
