import type { ConnectorInspection } from '../hosted/wire.js';

/** What a connector tells of itself beyond its description. */
export interface Inspection {
  /** `local` where calls go to the vendor, `hosted` where a service runs them. */
  readonly mode: 'local' | 'hosted';
  /** How ready the service is to search each entity; null without a service. */
  readonly context_store_readiness: ConnectorInspection['context_store_readiness'] | null;
  /** What somebody should know or mend. */
  readonly warnings: readonly string[];
  /** Values that are set up for parameters, such as `{ property_id: ['320200001'] }`, where there are any. */
  readonly known_parameters?: Readonly<Record<string, readonly string[]>> | undefined;
}
