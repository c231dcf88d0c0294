/** Clients for Node of vendors and of an integration platform. */
import { LinearClient } from '@linear/sdk';
import { Nango } from '@nangohq/node';
import { google } from 'googleapis';

const [url, scenario, peer] = process.argv.slice(2);

const calls = {
  '@linear/sdk': async () => {
    const client = new LinearClient({ apiKey: 'none', apiUrl: `${url}/graphql` });
    await client.paginate((variables) => client.teams(variables), { first: 1 });
  },
  googleapis: async () => {
    const endpoints = { oauth2TokenUrl: `${url}/token` };
    const client = new google.auth.OAuth2({ clientId: 'id', clientSecret: 'secret', endpoints });
    client.setCredentials({ refresh_token: 'refresh' });
    const auth = scenario === 'revoked' ? client : 'key';
    await google.drive({ version: 'v3', auth, rootUrl: `${url}/` }).files.list();
  },
  '@nangohq/node': async () => {
    const client = new Nango({ secretKey: '00000000-0000-4000-8000-000000000000', host: url });
    await client.listRecords({ providerConfigKey: 'linear', connectionId: 'one', model: 'Issue' });
  },
};

try {
  await calls[peer]();
  console.log('outcome: completes');
} catch (error) {
  const status = peer === '@linear/sdk' ? '' : ` ${error.response?.status}`;
  console.log(`outcome: raises ${error.constructor.name}${status}`);
}
