import * as z from 'zod';
import { action, graphql, type Returns, type SetupGuide } from '../../src/authoring.js';

const plain: Returns = { kind: 'record', meta: undefined, shape: (data) => data };

/** How a person is helped to connect Linear. */
export const setup: SetupGuide = {
  calls: {
    viewer: action({
      description: 'Whose key it is.',
      params: z.strictObject({}),
      returns: plain,
      request: () => graphql('query { viewer { name email } organization { name urlKey } }', {}),
      read: (body) => ({ data: body?.data }),
      example: {},
    }),
  },
  async identify({ call }) {
    const { viewer, organization } = (await call('viewer', {})).data ?? {};
    return {
      name: viewer?.email ?? viewer?.name ?? null,
      detail: organization ? `${organization.name} (linear.app/${organization.urlKey})` : null,
    };
  },
};
