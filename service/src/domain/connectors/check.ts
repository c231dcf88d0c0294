import { ConnectorError, type ErrorCode } from 'agent-connectors';
import { propertiesIn } from 'agent-connectors/replication';
import type { ConnectorRow } from '../../data/state/rows.js';
import { type Definition, definitionOf } from './definitions.js';
import { perform, type Runners } from './execute.js';

/** Whether a connector's credentials reach the vendor. */
export interface CheckResult {
  readonly status: 'succeeded' | 'failed' | 'inconclusive';
  readonly error_message: string | null;
}

/** A read that costs the vendor little. */
interface Probe {
  readonly entity: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The cheapest read of each type. */
const probes: Readonly<Record<string, (row: ConnectorRow) => Probe>> = {
  linear: () => ({ entity: 'teams', action: 'list', params: { first: 1 } }),
  gong: () => ({ entity: 'users', action: 'list', params: {} }),
  granola: () => ({ entity: 'notes', action: 'list', params: { page_size: 1 } }),
  'google-drive': () => ({ entity: 'files', action: 'list', params: { pageSize: 1 } }),
  'google-analytics': ({ replicationConfig }) => ({
    entity: 'website_overview',
    action: 'list',
    params: { property_id: propertiesIn(replicationConfig?.property_ids)[0] ?? '', limit: 1 },
  }),
};

/** Any list that needs no parameters, for types that the table does not name. */
function anyList({ description }: Definition): Probe {
  for (const { name, actions } of description.entities) {
    const list = actions.find((action) => action.name === 'list' && !(action.params.required as unknown[])?.length);
    if (list) return { entity: name, action: list.name, params: {} };
  }
  throw new ConnectorError('unknown_action', `${description.title} has no list that needs no parameters.`);
}

/** Failures that say nothing about the credentials. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'network',
  'timeout',
  'aborted',
  'rate_limited',
  'quota_exhausted',
  'vendor_error',
  'invalid_response',
]);

/** Makes one cheap read with a connector's credentials. */
export async function check(
  row: ConnectorRow,
  runners: Runners,
  signal: AbortSignal,
): Promise<CheckResult & { readonly probe: Probe }> {
  const definition = await definitionOf(row.type);
  const probe = probes[row.type]?.(row) ?? anyList(definition);
  try {
    await perform(row, probe, runners, signal);
    return { status: 'succeeded', error_message: null, probe };
  } catch (error) {
    if (!ConnectorError.is(error)) throw error;
    const { code, message, hint } = error;
    return {
      status: passing.has(code) ? 'inconclusive' : 'failed',
      error_message: hint === undefined ? message : `${message} ${hint}`,
      probe,
    };
  }
}
