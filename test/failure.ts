import { ConnectorError } from 'agent-connectors';

/** The `ConnectorError` that a call fails with; a call that succeeds, or fails otherwise, fails the test. */
export async function failure(call: Promise<unknown> | (() => unknown)): Promise<ConnectorError> {
  try {
    await (typeof call === 'function' ? call() : call);
  } catch (error) {
    if (ConnectorError.is(error)) return error;
    throw error;
  }
  throw new Error('The call succeeded.');
}
