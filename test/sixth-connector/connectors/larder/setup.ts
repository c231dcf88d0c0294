import * as z from 'zod';
import { action, get, type Returns, type SetupGuide } from '../../src/authoring.js';

const plain: Returns = { kind: 'records', meta: undefined, shape: (data) => data };

/** How a user connects a larder. */
export const setup: SetupGuide = {
  calls: {
    shelves: action({
      description: 'Shelves of the larder.',
      params: z.strictObject({}),
      returns: plain,
      request: () => get('/v1/shelves', {}),
      read: ({ shelves }) => ({ data: shelves }),
      example: {},
    }),
  },
  async identify({ execute }) {
    await execute('jars', 'list', { size: 1 });
    return { name: null, detail: 'Larder does not tell whose the key is' };
  },
  help: { 'api_key.api_key': { text: 'On the inside of the door.', url: 'https://larder.example/keys' } },
  fields: {
    shelf_ids: { help: 'Numbers of shelves, with commas between them.', required: 'Tick or type at least one shelf.' },
  },
  choices: {
    shelf_ids: {
      title: 'Shelves to search',
      several: true,
      async list({ call }) {
        const shelves: ReadonlyArray<{ id: number; name: string }> = (await call('shelves', {})).data;
        return shelves.map(({ id, name }) => ({ value: String(id), label: `${name} (shelf ${id})` }));
      },
    },
  },
  probe: { entity: 'jars', action: 'list', params: { size: 1 } },
  doctor: {
    parameters: { id: { argument: 'jar_id', variable: 'LARDER_JAR_ID' } },
    identity: { entity: 'jars', paths: ['label', 'keeper.name'] },
    quota: ({ records }) => [{ name: 'jars', remaining: records.size, limit: null }],
  },
};
