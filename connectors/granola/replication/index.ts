import type { Replication } from '../../../src/authoring.js';
import { maxPageSize } from './pages.js';
import { listedIds, read } from './read.js';
import { summarySegments, transcriptSegments } from './segments.js';

/** Average time between page requests, which uses up to 1,800 of the 18,000 requests allowed per hour. */
const sweepMsPerPage = 2_000;

/** Replication of Granola's notes. */
export const replication: Replication = {
  interval: '5m',
  entities: {
    notes: {
      dateTimes: ['created_at', 'updated_at'],
      read,
      sweep: { everyMs: (records) => Math.ceil(records / maxPageSize) * sweepMsPerPage, ids: listedIds },
      segments: { summary_markdown: summarySegments, transcript: transcriptSegments },
    },
  },
};
