import { ConnectorError, type ErrorCode } from 'agent-connectors';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';

const codes: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'invalid_credentials']);

/** Whether the vendor no longer accepts the credentials, so the account must be reconnected. */
export const needsReauthorization = (error: unknown): error is ConnectorError =>
  ConnectorError.is(error) && codes.has(error.code);

/** Calls the vendor and records what the result indicates about the connector's health. */
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
