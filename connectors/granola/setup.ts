import type { SetupGuide } from '../../src/authoring.js';

/** The setup guide for Granola. */
export const setup: SetupGuide = {
  color: '#4d6b1f',
  async identify({ execute }) {
    await execute('notes', 'list', { page_size: 1 });
    return { name: null, detail: 'The key works; Granola does not report its owner' };
  },
  help: {
    'api_key.api_key': {
      text: 'Create it in the Granola desktop app under Settings > Connectors > API keys. Requires a Business or Enterprise plan. The key starts with grn_. Workspace keys can read public notes only.',
      url: 'https://docs.granola.ai/introduction',
    },
  },
  probe: { entity: 'notes', action: 'list', params: { page_size: 1 } },
};
