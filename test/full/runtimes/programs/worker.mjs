// Runs the calls in a worker: their input is the request, and the results are the response.
import { GongConnector } from 'agent-connectors/gong';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { calls } from './calls.mjs';

// Shared by all requests, like everything created at the top level of a worker's module.
let drive;
let gong;

const routes = {
  calls,
  // Concurrent requests: one of them refreshes the token while the others wait, and they take turns.
  async shared({ sandbox, credentials }) {
    const made = (Class, name) => new Class({ credentials: credentials[name], endpoints: `${sandbox}/${name}` });
    drive ??= made(GoogleDriveConnector, 'google-drive');
    gong ??= made(GongConnector, 'gong');
    const { data } = await drive.about.get({ fields: 'user' });
    await gong.users.list();
    return data.user.emailAddress;
  },
};

// biome-ignore lint/style/noDefaultExport: workers are found only by this export
export default {
  async fetch(request) {
    const { route, subject } = await request.json();
    try {
      return Response.json(await routes[route](subject));
    } catch (error) {
      return new Response(error.stack, { status: 500 });
    }
  },
};
