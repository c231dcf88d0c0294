import type { SetupGuide } from '../../src/authoring.js';

/** How a person is helped to connect Granola. */
export const setup: SetupGuide = {
  async identify({ execute }) {
    await execute('notes', 'list', { page_size: 1 });
    return { name: null, detail: 'Granola takes the key, and does not tell whose it is' };
  },
  help: {
    'api_key.api_key': {
      text: 'In the desktop app of Granola under Settings, Connectors, API keys; it takes a Business or Enterprise plan. It begins with grn_. A workspace key reads public notes only.',
      url: 'https://docs.granola.ai/introduction',
    },
  },
  probe: { entity: 'notes', action: 'list', params: { page_size: 1 } },
};
