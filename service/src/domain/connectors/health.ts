import { ConnectorError, type ErrorCode } from 'agent-connectors';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';

const codes: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'invalid_credentials']);

/** Whether a vendor no longer accepts the credentials, so that the account has to be connected again. */
export const needsReauthorization = (error: unknown): error is ConnectorError =>
  ConnectorError.is(error) && codes.has(error.code);

/** Makes a call to the vendor, and notes what it tells of the connector's health. */
export async function watchingHealth<T>(
  row: ConnectorRow,
  { state, report }: { readonly state: Pick<State, 'webhooks'>; readonly report: (error: unknown) => void },
  call: () => Promise<T>,
): Promise<T> {
  const note = (...[health, error]: [ConnectorRow['health'], string?]) =>
    state.webhooks.noteHealth(row, row.id, health, error).catch(report);
  try {
    const result = await call();
    if (row.health !== null) await note(null);
    return result;
  } catch (error) {
    if (needsReauthorization(error) && row.health !== 'needs_reauthorization') {
      await note('needs_reauthorization', `${error.code}: ${error.message}`);
    }
    throw error;
  }
}
