import * as z from 'zod';
import { action, graphql, type Returns, type SetupGuide } from '../../src/authoring.js';

const rawRecord: Returns = { kind: 'record', meta: undefined, shape: (data) => data };

/** The setup guide for Linear. */
export const setup: SetupGuide = {
  color: '#5e6ad2',
  calls: {
    viewer: action({
      description: 'The key’s owner.',
      params: z.strictObject({}),
      returns: rawRecord,
      request: () => graphql('query { viewer { id name email } organization { name urlKey } }', {}),
      read: (body) => ({ data: body?.data }),
      example: {},
    }),
  },
  async identify({ call }) {
    const { viewer, organization } = (await call('viewer', {})).data ?? {};
    return {
      name: viewer?.email ?? viewer?.name ?? null,
      detail: organization ? `${organization.name} (linear.app/${organization.urlKey})` : null,
      id: viewer?.id,
    };
  },
  help: {
    'api_key.api_key': {
      text: 'Create it in Linear under Settings > Account > Security & access > Personal API keys. It starts with lin_api_; a key restricted to some teams can access only those.',
      url: 'https://linear.app/docs/api-and-webhooks',
    },
    'oauth.client_id': {
      text: 'An administrator creates an application in Linear under Settings > Administration > API > OAuth applications.',
      url: 'https://linear.app/developers/oauth-2-0-authentication',
    },
    'oauth.client_secret': { text: 'Linear shows it on the application’s page.' },
    'oauth.refresh_token': { text: 'From an earlier sign-in to your application.' },
    'access_token.access_token': {
      text: 'Issued by your own OAuth application; expires after one day.',
      url: 'https://linear.app/developers/oauth-2-0-authentication',
    },
  },
  probe: { entity: 'teams', action: 'list', params: { first: 1 } },
  doctor: { parameters: { issueId: { entity: 'issues', field: 'id' } } },
};
