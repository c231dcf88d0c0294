import type { ConnectorOptions, MismatchEvent } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox, type FaultRule, type Sandbox } from 'agent-connectors-sandbox';

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
export function connectorWithReplies(...replies: Array<object | Response>) {
  const sent: Array<{ url: string; method: string; headers: Headers; query: string; variables: any }> = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { query, variables } = JSON.parse(String(init?.body));
    sent.push({
      url: String(url),
      method: String(init?.method),
      headers: new Headers(init?.headers),
      query,
      variables,
    });
    const reply = replies[Math.min(sent.length, replies.length) - 1]!;
    return reply instanceof Response ? reply.clone() : Response.json(reply);
  };
  const mismatches: MismatchEvent[] = [];
  const linear = new LinearConnector({
    credentials: { api_key: 'lin_api_test' },
    fetch,
    retries: 0,
    hooks: { onResponseMismatch: (event) => mismatches.push(event) },
  });
  return { linear, sent, mismatches };
}

/** The body of a list response. */
export const listOf = (field: string, nodes: object[], endCursor: string | null = null, hasNextPage = false) => ({
  data: { [field]: { nodes, pageInfo: { hasNextPage, endCursor } } },
});
