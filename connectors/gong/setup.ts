import type { SetupGuide } from '../../src/authoring.js';

/** How a person is helped to connect Gong. */
export const setup: SetupGuide = {
  async identify({ execute }) {
    const { data } = await execute('workspaces', 'list', {});
    const names = data.map(({ name }: { name: string | null }) => name).filter(Boolean);
    return {
      name: null,
      detail: `Gong does not tell whose the key is; it sees the workspaces ${names.join(', ') || '(none)'}`,
    };
  },
};
