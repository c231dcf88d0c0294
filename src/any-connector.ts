import type { Result } from './action/result.js';
import type { ExecuteOptions } from './call/execute-options.js';
import type { Plan } from './call/plan.js';
import type { ConnectorDescription } from './manifest/describe.js';
import type { ConnectorInspection } from './wire/index.js';

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

/** A connector without static types, for names known only at run time. */
export interface AnyConnector {
  /** Runs an action on an entity. */
  execute(entity: string, action: string, params?: any, options?: ExecuteOptions): Promise<Result>;
  /** Describes the connector as plain JSON. */
  describe(): ConnectorDescription;
  /** Its guide, in Markdown. */
  guide?(): Promise<string>;
  /** The parameters to add for the next page of a list. */
  following?(entity: string, action: string, params: object, result: Result): object | undefined;
  /** Revokes the credentials' tokens at the vendor; false if that is not supported. */
  revoke?(): Promise<boolean>;
  /** False if there is no service with a replica to search. */
  readonly searchable?: boolean | undefined;
  /** Reports which transport is used for calls and whether the service is ready to search. */
  inspect?(): Promise<Inspection>;
  /** Validates a call without making it: throws what `execute` would throw before sending anything. */
  check?(entity: string, action: string, params?: any, options?: ExecuteOptions): Promise<void>;
  /** Prepares a write without sending it. */
  plan?(
    entity: string,
    action: string,
    params?: any,
    options?: Pick<ExecuteOptions, 'signal' | 'timeoutMs' | 'beforeAttempt'>,
  ): Promise<Plan>;
}
