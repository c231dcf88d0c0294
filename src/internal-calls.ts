import type { Action } from './action/action.js';
import type { Result } from './action/result.js';
import type { ExecuteOptions } from './call/execute-options.js';
import type { CommonOptions } from './call/options.js';
import { cursorLoopDetector } from './call/paginate.js';
import { Connector } from './connector.js';
import { entity, type Manifest } from './manifest/manifest.js';
import type { Replication } from './manifest/replication.js';

/** A connector's actions and its internal calls. */
export interface InternalCalls {
  execute(entity: string, action: string, params: unknown, options?: ExecuteOptions): Promise<Result<any, any>>;
  call(name: string, params: object): Promise<Result<any, any>>;
  following(entity: string, action: string, params: object, result: Result): object | undefined;
  followingCall(name: string, params: object, result: Result): object | undefined;
}

/** Reserved name for internal calls; no manifest uses it for an entity. */
const internalEntity = 'own_calls';

/** Runs internal calls as if they were actions, alongside the described ones. */
export function internalCalls(
  manifest: Manifest,
  calls: Readonly<Record<string, Action>> | undefined,
  options: CommonOptions,
): InternalCalls {
  const entities = {
    ...manifest.entities,
    [internalEntity]: entity({ description: 'Own calls.', actions: calls ?? {} }),
  };
  const connector = new Connector<Manifest>({ ...manifest, entities }, options);
  const { execute } = connector as { execute(...args: unknown[]): Promise<Result> };
  const checkPage = pageGuard((entityName, action, params, result) =>
    connector.following(entityName, action, params, result),
  );
  const run: InternalCalls['execute'] = async (entityName, action, params, executeOptions) => {
    const result = await execute.call(connector, entityName, action, params, executeOptions);
    checkPage(entityName, action, (params ?? {}) as object, result);
    return result;
  };
  return {
    execute: run,
    call: (name, params) => run(internalEntity, name, params),
    following: (entityName, action, params, result) => connector.following(entityName, action, params, result),
    followingCall: (name, params, result) => connector.following(internalEntity, name, params, result),
  };
}

/** A list being read: the cursor of its next page, and the detector of cycles. */
interface Walk {
  readonly next: string;
  readonly check: ReturnType<typeof cursorLoopDetector>;
}

/**
 * Guards every loop over pages, whatever way it follows cursors: throws `invalid_response` for a page whose cursor is
 * missing or was already followed by the same loop.
 */
function pageGuard(following: InternalCalls['following']) {
  const walks = new Map<string, Walk>();
  return (entityName: string, action: string, params: object, result: Result): void => {
    const more = following(entityName, action, params, result);
    const cursorNames = new Set(Object.keys(more ?? {}));
    const [list, cursor] = [false, true].map((isCursor) =>
      JSON.stringify(Object.entries(params).filter(([name]) => cursorNames.has(name) === isCursor)),
    );
    const key = `${entityName}.${action} ${list}`;
    const walk = walks.get(key);
    walks.delete(key);
    if (!more) return;
    // A request that does not continue the walk starts a new one, such as a page that is read again.
    const check = walk !== undefined && walk.next === cursor ? walk.check : cursorLoopDetector();
    check(more);
    walks.set(key, { next: JSON.stringify(Object.entries(more)), check });
    // Bounds the memory; each walk in progress was used recently.
    if (walks.size > maxWalks) walks.delete(walks.keys().next().value!);
  };
}

const maxWalks = 1000;

/** Calls that read a replica: the connector's actions and the replication's internal calls. */
export type ReplicationCalls = InternalCalls;

/**
 * Creates a replication's calls. They share rate limits with every connector that has the same credentials and
 * `fetch`, and yield to live calls.
 */
export const replicationCalls = (
  manifest: Manifest,
  { calls }: Replication,
  options: CommonOptions,
): ReplicationCalls => internalCalls(manifest, calls, { ...options, background: true });
