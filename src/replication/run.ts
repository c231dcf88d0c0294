import type { CommonOptions } from '../call/options.js';
import { type OwnCalls, ownCalls } from '../call/own-calls.js';
import type { Manifest } from '../manifest/manifest.js';
import type { Replication } from './types.js';

/** What a replica is read with: the connector's actions and the replication's own calls. */
export type ReplicationCalls = OwnCalls;

/** Makes the calls of a replication. They share the limits of every connector with the same credentials and `fetch`, and let live calls go first. */
export const replicationCalls = (
  manifest: Manifest,
  { calls }: Replication,
  options: CommonOptions,
): ReplicationCalls => ownCalls(manifest, calls, { ...options, background: true });
