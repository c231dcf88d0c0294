import type { SetupGuide } from '../../src/authoring.js';

/** The setup guide for Granola. */
export const setup: SetupGuide = {
  async identify({ execute }) {
    await execute('notes', 'list', { page_size: 1 });
    return { name: null, detail: 'The key works; Granola does not report its owner' };
  },
  help: {
    'api_key.api_key': {
      text: 'In the Granola desktop app, Settings > Connectors > API keys; requires a Business or Enterprise plan. It starts with grn_. A workspace key can access only public notes.',
      url: 'https://docs.granola.ai/introduction',
    },
  },
  probe: { entity: 'notes', action: 'list', params: { page_size: 1 } },
};
