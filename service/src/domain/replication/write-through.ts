import type { Write } from 'agent-connectors/replication';
import type { ConnectorRow } from '../../data/state/rows.js';
import { replicatedEntities } from '../connectors/definitions.js';
import { openReading } from './engine.js';
import { refreshRecords } from './refresh.js';
import type { ReadingDependencies } from './types.js';

/** How long a write waits for the vendor to return the written record. */
const readBackMs = 10_000;

/** Updates replicas after a write that the vendor has executed. */
export type WriteThrough = (row: ConnectorRow, write: Write) => Promise<void>;

/** Reads the written record and stores it, so that the next search finds it. If that fails, the next sync stores it. */
export const openWriteThrough =
  (dependencies: ReadingDependencies): WriteThrough =>
  async (row, write) => {
    const { definitions, report, state, store } = dependencies;
    try {
      const definition = definitions.of(row.type);
      const { replication } = definition;
      if (!replication) return;
      for (const entity of replicatedEntities(row, definition)) {
        const ids = replication.entities[entity]!.lookup?.ids(write) ?? [];
        if (ids.length === 0 || !(await state.replicas.get(row.id, entity))) continue;
        await state.replicas.markWritten(row.id, entity, ids);
        const limits = { signal: AbortSignal.timeout(readBackMs), timeoutMs: readBackMs };
        const reading = await openReading(row, { definition, replication }, dependencies, limits);
        await refreshRecords(reading, entity, ids);
        // The connector may have been deleted in the meantime.
        if (!(await state.connectors.existing([row.id])).has(row.id)) await store.removeConnector(row.id);
      }
    } catch (error) {
      report(error, 'write-through');
    }
  };
