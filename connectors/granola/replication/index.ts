import type { Replication } from '../../../src/authoring.js';
import { listedIds, read } from './read.js';
import { summarySegments, transcriptSegments } from './segments.js';

const hour = 3_600_000;

/** How Granola's notes come into a replica. */
export const replication: Replication = {
  entities: {
    notes: {
      dateTimes: ['created_at', 'updated_at'],
      read,
      sweep: { everyMs: 6 * hour, ids: listedIds },
      segments: { summary_markdown: summarySegments, transcript: transcriptSegments },
    },
  },
};
