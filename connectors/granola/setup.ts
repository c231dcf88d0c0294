import type { SetupGuide } from '../../src/authoring.js';

/** How a person is helped to connect Granola. */
export const setup: SetupGuide = {
  async identify({ execute }) {
    await execute('notes', 'list', { page_size: 1 });
    return { name: null, detail: 'Granola takes the key, and does not tell whose it is' };
  },
};
