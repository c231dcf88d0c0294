import { LinearConnector } from 'agent-connectors/linear';
import type { Replica, Replication } from 'agent-connectors/replication';
import { createSandbox } from 'agent-connectors-sandbox';
import { replication } from '../../connectors/linear/replication/index.js';
import { createRequester, noon } from '../sandbox/requester.js';
import { replicaOf } from './replica.js';

export { replication };

/** A Linear workspace in a sandbox, with a replica of it. */
export function createWorkspace() {
  const sandbox = createSandbox({ seed: 7, now: () => noon });
  const credentials = sandbox.vendors.linear.credentials.api_key;
  const { fetch } = sandbox;
  const linear = new LinearConnector({ credentials, fetch });
  const reads: string[] = [];
  const replica = (source = replication, now = sandbox.clock.now) =>
    replicaOf(LinearConnector, source, { credentials, fetch }, { now });
  return {
    sandbox,
    linear,
    replica,
    ask: createRequester(sandbox),
    /** Ids in the order in which an observed replica reads them, including removed ones. */
    reads,
    recordingReplica: () => replica(recordReads(reads)),
    /** Changes rows in ways that no request could, for example without a new `updatedAt`. */
    alter(table: string, change: (rows: any[]) => void): void {
      const dump = sandbox.dump() as any;
      change(dump.vendors.linear.workspace.tables[table]);
      sandbox.load(dump);
    },
  };
}

function recordReads(reads: string[]): Replication {
  const watch = (entity: Replica): Replica => ({
    ...entity,
    read: async function* (source) {
      for await (const batch of entity.read(source)) {
        reads.push(...(batch.records ?? []).map(({ id }) => String(id)), ...(batch.removed ?? []));
        yield batch;
      }
    },
  });
  const entities = Object.entries(replication.entities).map(([name, entity]) => [name, watch(entity)]);
  return { ...replication, entities: Object.fromEntries(entities) };
}

/** Every record of an entity as a plain object, by id. */
export const contents = (replica: ReturnType<typeof replicaOf>, entity: string) =>
  Object.fromEntries([...replica.records(entity)].sort(([a], [b]) => (a < b ? -1 : 1)));
