import { Connector } from '../connector.js';
import { entity, type Manifest } from '../manifest.js';
import type { CommonOptions } from '../options.js';
import type { Result } from '../result.js';
import type { Replication } from './types.js';

/** What a replica is read with: the connector's actions and the replication's own calls, behind whatever is asked live. */
export interface ReplicationCalls {
  execute(entity: string, action: string, params: object): Promise<Result>;
  call(name: string, params: object): Promise<Result>;
  following(entity: string, action: string, params: object, result: Result): object | undefined;
  followingCall(name: string, params: object, result: Result): object | undefined;
}

/** The name that own calls go by, which no manifest gives an entity. */
const own = 'replication';

/** Makes the calls of a replication. They share the limits of every connector with the same credentials and `fetch`, and let live calls go first. */
export function replicationCalls(
  manifest: Manifest,
  { calls = {} }: Replication,
  options: CommonOptions,
): ReplicationCalls {
  const entities = { ...manifest.entities, [own]: entity({ description: 'Calls of replication.', actions: calls }) };
  const connector = new Connector<Manifest>({ ...manifest, entities }, { ...options, background: true });
  const { execute } = connector as { execute(...args: unknown[]): Promise<Result> };
  const run = execute.bind(connector);
  return {
    execute: (entityName, action, params) => run(entityName, action, params),
    call: (name, params) => run(own, name, params),
    following: (entityName, action, params, result) => connector.following(entityName, action, params, result),
    followingCall: (name, params, result) => connector.following(own, name, params, result),
  };
}
