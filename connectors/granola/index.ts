/**
 * Granola: the connector and the type of its records.
 * @module agent-connectors/granola
 */
import { apiKey, connector, VERSION } from '../../src/authoring.js';
import { fault, hints } from './faults.js';
import { notes } from './notes.js';

export type { Note } from './records.js';

/** Meeting notes with summaries and transcripts. */
export class GranolaConnector extends connector({
  name: 'granola',
  title: 'Granola',
  description: 'Meeting notes with summaries, attendees and transcripts.',
  version: VERSION,
  definitionId: '9023923c-002f-4131-9554-3ebdf56540a4',
  guide: () => import('./guide.md'),
  setup: () => import('./setup.js'),
  endpoints: { api: 'https://public-api.granola.ai' },
  auth: {
    api_key: apiKey(
      "API key, from Granola's desktop app under Settings > Connectors > API keys; starts with grn_.",
      'bearer',
    ),
  },
  // Bursts of 25 in 5 seconds, 300 per minute sustained (docs.granola.ai). The windows are slightly longer, since
  // requests arrive less evenly than they are sent.
  limits: {
    windows: [
      { requests: 25, perMs: 5_250 },
      { requests: 300, perMs: 61_000 },
    ],
  },
  fault,
  hints,
  replication: () => import('./replication/index.js'),
  entities: { notes },
}) {}
