import type { SetupGuide } from '../manifest/setup.js';
import { valuesIn } from './values.js';

/** Sources of configured parameters: the connector's `replication_config`, and the environment. */
export interface ParameterSources {
  /** The connector's `replication_config`. */
  readonly config?: Readonly<Record<string, unknown>> | null | undefined;
  /** Environment variables by name. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Configured values of parameters that users provide, by name; makes no request. */
export function knownParameters(
  { doctor, fields = {} }: Pick<SetupGuide, 'doctor' | 'fields'>,
  { config, env }: ParameterSources,
): Record<string, string[]> {
  const known = Object.entries(doctor?.parameters ?? {}).flatMap(([name, source]) => {
    if (typeof source === 'function' || !('argument' in source)) return [];
    const { config: field, variable } = source;
    const configured = field === undefined ? [] : (fields[field]?.values ?? valuesIn)(config?.[field]);
    const values = [...new Set([...configured, ...valuesIn(env?.[variable])])];
    return values.length > 0 ? [[name, values] as const] : [];
  });
  return Object.fromEntries(known);
}
