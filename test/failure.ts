import { ConnectorError } from 'agent-connectors';

/** The `ConnectorError` of a failed call; the test fails if the call succeeds or fails in another way. */
export async function failure(call: Promise<unknown> | (() => unknown)): Promise<ConnectorError> {
  try {
    await (typeof call === 'function' ? call() : call);
  } catch (error) {
    if (ConnectorError.is(error)) return error;
    throw error;
  }
  throw new Error('The call succeeded.');
}
