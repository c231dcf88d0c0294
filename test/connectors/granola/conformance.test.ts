import { GranolaConnector } from 'agent-connectors/granola';
import { createSandbox } from 'agent-connectors-sandbox';
import { testConnector } from 'agent-connectors-sandbox/testing';

// A whole second, since the Date header has no fractions.
const start = Math.floor(Date.now() / 1000) * 1000;

const here = 'the connector selects the lines';
const selectedHere = { contains: here, speaker: here, from: here, to: here };

testConnector({
  Connector: GranolaConnector,
  sandbox: () => createSandbox({ seed: 7, now: () => start }),
  credentials: ({ vendors }) => vendors.granola.credentials.api_key,
  guide: new URL('../../../connectors/granola/guide.md', import.meta.url),
  pages: { sizeParameter: 'page_size', maxSize: 30 },
  params: {
    'notes.list': () => ({}),
    'notes.get': async (granola) => {
      const { data } = await granola.notes.list({ page_size: 1 });
      return { note_id: data[0]!.id, include: 'transcript' };
    },
  },
  parameters: {
    values: { folder_id: 'fol_0123456789abcd' },
    unsent: { 'notes.get': selectedHere },
  },
});
