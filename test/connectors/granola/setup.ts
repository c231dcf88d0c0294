import type { ConnectorOptions, MismatchEvent } from 'agent-connectors';
import { GranolaConnector } from 'agent-connectors/granola';
import { createSandbox, type FaultRule, type Sandbox } from 'agent-connectors-sandbox';

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

/** A connector talking to a vendor that returns these responses in turn, and the URLs requested. */
export function connectorWithReplies(...replies: Array<unknown | Response>) {
  const urls: URL[] = [];
  const headers: Headers[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    urls.push(new URL(String(input)));
    headers.push(new Headers(init?.headers));
    const reply = replies[Math.min(urls.length, replies.length) - 1];
    return reply instanceof Response ? reply.clone() : Response.json(reply);
  };
  const mismatches: MismatchEvent[] = [];
  const hooks = { onResponseMismatch: (event: MismatchEvent) => void mismatches.push(event) };
  const granola = new GranolaConnector({ credentials: { api_key: 'grn_test' }, fetch, retries: 0, hooks });
  return { granola, urls, headers, mismatches };
}
