import { GranolaConnector } from 'agent-connectors/granola';
import { createSandbox } from 'agent-connectors-sandbox';
import { start, subjectOf } from '../subject.js';

export const granola = subjectOf({
  Connector: GranolaConnector,
  sandbox: () => createSandbox({ seed: 7, scale: 0.2, now: () => start }),
  credentials: ({ vendors }) => vendors.granola.credentials.api_key,
  params: {
    'notes.list': () => ({}),
    'notes.get': async (connector) => ({
      note_id: (await connector.notes.list({ page_size: 1 })).data[0]!.id,
      include: 'transcript',
    }),
  },
  small: () => ({ page_size: 4 }),
});
