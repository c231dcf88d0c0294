import type { ConnectorDescription } from '../manifest/describe.js';
import type { Inspection } from '../manifest/inspection.js';
import type { ExecuteOptions } from './execute-options.js';
import type { Plan } from './plan.js';
import type { Result } from './result.js';

/** A connector whose manifest is not known to the compiler, for programs that take names from elsewhere. */
export interface AnyConnector {
  /** Runs one action of one entity. */
  execute(entity: string, action: string, params?: any, options?: ExecuteOptions): Promise<Result>;
  /** The connector as plain JSON. */
  describe(): ConnectorDescription;
  /** Its guide, in Markdown. */
  guide?(): Promise<string>;
  /** What must be added to the parameters of a list to get the next page. */
  following?(entity: string, action: string, params: object, result: Result): object | undefined;
  /** Ends the tokens of the credentials at the vendor; false where there is no way to. */
  revoke?(): Promise<boolean>;
  /** False where no service keeps a replica that could be searched. */
  readonly searchable?: boolean | undefined;
  /** Where calls go, and how ready a service is to search. */
  inspect?(): Promise<Inspection>;
  /** Checks a call without making it: throws what `execute` would throw before it sends anything. */
  check?(entity: string, action: string, params?: any, options?: ExecuteOptions): Promise<void>;
  /** Makes a write ready without sending it. */
  plan?(
    entity: string,
    action: string,
    params?: any,
    options?: Pick<ExecuteOptions, 'signal' | 'timeoutMs'>,
  ): Promise<Plan>;
}
