// #region oauth
import { LinearConnector } from 'agent-connectors/linear';

const store = new Map<string, string>(); // a table in your database

const linear = new LinearConnector({
  credentials: {
    client_id: process.env.LINEAR_CLIENT_ID ?? '',
    client_secret: process.env.LINEAR_CLIENT_SECRET ?? '',
    refresh_token: process.env.LINEAR_REFRESH_TOKEN ?? '',
  },
  hooks: {
    // Linear issues a new refresh token with every access token: store it, or the next start fails.
    onTokenRefresh: async ({ refresh_token }) => void store.set('refresh_token', refresh_token),
  },
});
// #endregion

console.log((await linear.users.list({ first: 1 })).data[0]?.name, store.size);
