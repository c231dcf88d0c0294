import type { Action } from './action/action.js';
import type { Result } from './action/result.js';
import type { ExecuteOptions } from './call/execute-options.js';
import type { CommonOptions } from './call/options.js';
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
  const run = execute.bind(connector);
  return {
    execute: run,
    call: (name, params) => run(internalEntity, name, params),
    following: (entityName, action, params, result) => connector.following(entityName, action, params, result),
    followingCall: (name, params, result) => connector.following(internalEntity, name, params, result),
  };
}

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
