import { ConnectorError } from 'agent-connectors';

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
export async function collect<T>(records: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const record of records) found.push(record);
  return found;
}
