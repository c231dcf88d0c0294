import { ConnectorError, type ConnectorOptions } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox, type FaultRule, type Sandbox } from 'agent-connectors-sandbox';

type Mode = keyof Sandbox['vendors']['linear']['credentials'];

/** A connector on a sandbox of its own. */
export function onSandbox({
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

/** The error that a call fails with; a call that succeeds fails the test. */
export async function failure(call: Promise<unknown>): Promise<ConnectorError> {
  try {
    await call;
  } catch (error) {
    if (ConnectorError.is(error)) return error;
    throw error;
  }
  throw new Error('The call succeeded.');
}

/** All records of a list. */
export async function all<T>(records: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const record of records) found.push(record);
  return found;
}
