import { ConnectorError, type ErrorCode } from 'agent-connectors';
import type { ConnectorCheck } from 'agent-connectors/wire';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { Definition } from './definitions.js';

/** Whether the vendor accepts a connector's credentials. */
export type CheckResult = Pick<ConnectorCheck, 'status' | 'error_message'>;

/** A cheap read. */
export interface Probe {
  readonly entity: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The probe declared in the type's guide. */
function probeOf({ setup }: Definition, { replicationConfig }: ConnectorRow): Probe | undefined {
  if (!setup?.probe) return undefined;
  const { entity, action, params = {} } = setup.probe;
  return { entity, action, params: typeof params === 'function' ? params(replicationConfig ?? {}) : params };
}

/** Any list action without required parameters, for types whose guide declares no probe. */
function anyList({ description }: Definition): Probe {
  for (const { name, actions } of description.entities) {
    const list = actions.find((action) => action.name === 'list' && !(action.params.required as unknown[])?.length);
    if (list) return { entity: name, action: list.name, params: {} };
  }
  throw new ConnectorError('unknown_action', `${description.title} has no list action that works without parameters.`);
}

/** Failures that say nothing about the credentials. */
const transientCodes: ReadonlySet<ErrorCode> = new Set([
  'denied_by_policy',
  'network',
  'timeout',
  'aborted',
  'rate_limited',
  'quota_exhausted',
  'vendor_error',
  'invalid_response',
]);

/** Makes one cheap read with a connector's credentials through `run`. */
export async function check(
  row: ConnectorRow,
  definition: Definition,
  read: (probe: Probe) => Promise<unknown>,
): Promise<CheckResult & { readonly probe: Probe; readonly code?: ErrorCode }> {
  const probe = probeOf(definition, row) ?? anyList(definition);
  try {
    await read(probe);
    return { status: 'succeeded', error_message: null, probe };
  } catch (error) {
    if (!ConnectorError.is(error)) throw error;
    const { code, message, hint } = error;
    return {
      status: transientCodes.has(code) ? 'inconclusive' : 'failed',
      error_message: hint === undefined ? message : `${message} ${hint}`,
      probe,
      code,
    };
  }
}
