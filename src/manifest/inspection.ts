import type { ConnectorInspection } from '../hosted/wire.js';

/** Information about a connector beyond its description. */
export interface Inspection {
  /** `local` if calls go to the vendor, `hosted` if a service runs them. */
  readonly mode: 'local' | 'hosted';
  /** Search readiness of each entity; null if there is no service. */
  readonly context_store_readiness: ConnectorInspection['context_store_readiness'] | null;
  /** Problems to fix or be aware of. */
  readonly warnings: readonly string[];
  /** Configured values by parameter, such as `{ property_id: ['320200001'] }`, if any. */
  readonly known_parameters?: Readonly<Record<string, readonly string[]>> | undefined;
}
