import { GongConnector } from 'agent-connectors/gong';
import { replication } from '../../connectors/gong/replication/index.js';
import { connectorOnSandbox } from '../connectors/gong/setup.js';
import { type ReplicaOptions, replicaOf } from './replica.js';

/** Gong's searchable entities. */
export const entities = Object.keys(replication.entities);

/** A replica in memory. */
export type Replica = ReturnType<typeof replicaOf>;

/** Replicas of one sandbox's Gong, which share its clock. */
export function createCompany({ pageSize = 100, requestsPerDay = 10_000 } = {}) {
  const { sandbox, fetch, gong, time } = connectorOnSandbox({
    limits: { requestsPerSecond: 1_000, requestsPerDay, pageSize },
  });
  const { credentials } = sandbox.vendors.gong;
  const now = () => sandbox.clock.now();
  const open = (options: ReplicaOptions = {}) =>
    replicaOf(GongConnector, replication, { credentials: credentials.basic, fetch, retries: 0 }, { now, ...options });
  return { sandbox, gong, time, now, open, vendor: sandbox.vendors.gong };
}

/** Brings all entities up to date, as a single job would. */
export async function syncAll(replica: Replica): Promise<void> {
  const shared = new Map<string, unknown>();
  for (const entity of entities) await replica.run(entity, { shared });
}

/** All contents of a replica. */
export const contents = (replica: Replica) =>
  Object.fromEntries(entities.map((entity) => [entity, Object.fromEntries([...replica.records(entity)].sort())]));
