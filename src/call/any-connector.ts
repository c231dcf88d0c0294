import type { ConnectorDescription } from '../manifest/describe.js';
import type { Inspection } from '../manifest/inspection.js';
import type { ExecuteOptions } from './execute-options.js';
import type { Plan } from './plan.js';
import type { Result } from './result.js';

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
    options?: Pick<ExecuteOptions, 'signal' | 'timeoutMs'>,
  ): Promise<Plan>;
}
