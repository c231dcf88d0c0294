// #region setup
import type { SetupGuide } from 'agent-connectors';

export const setup: SetupGuide = {
  async identify({ execute }) {
    await execute('jars', 'list', { size: 1 });
    return { name: null, detail: 'Larder does not report the owner of the key' };
  },
  help: { 'api_key.api_key': { text: 'On the inside of the door.' } },
  fields: { shelves: { required: 'Choose at least one shelf.', input: 'none' } },
  choices: {
    shelves: {
      title: 'Shelves to search',
      several: true,
      list: async () => ['1', '2', '3', '4'].map((value) => ({ value, label: `Shelf ${value}` })),
    },
  },
  probe: { entity: 'jars', action: 'list', params: { size: 1 } },
  doctor: {
    parameters: { id: { entity: 'jars', field: 'id' } },
    identity: { entity: 'jars', paths: ['label'] },
  },
};
// #endregion
