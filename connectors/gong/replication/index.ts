import * as z from 'zod';
import type { Replication } from '../../../src/authoring.js';
import { replicationActions } from './calls.js';
import { calls, calls_extensive } from './recordings.js';
import { settings_scorecards, stats_activity_scorecards, users } from './settings.js';
import { call_transcripts } from './transcripts.js';

/** Replication of Gong's records. */
export const replication: Replication = {
  interval: '30m',
  config: z.object({
    start_date: z.iso
      .date('must be a valid date (YYYY-MM-DD)')
      .optional()
      .describe('First day to replicate, YYYY-MM-DD.'),
  }),
  calls: replicationActions,
  entities: { users, calls, calls_extensive, call_transcripts, settings_scorecards, stats_activity_scorecards },
};
