// The calls in a worker: what they need comes with the request, what came back is the answer.
import { GongConnector } from 'agent-connectors/gong';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { calls } from './calls.mjs';

// Outlive a request, as what is made at the top of a worker's module does.
let drive;
let gong;

const routes = {
  calls,
  // Requests at once: one of them renews the token, and the others wait for it; and they wait for turns of each other.
  async shared({ sandbox, credentials }) {
    const made = (Class, name) => new Class({ credentials: credentials[name], endpoints: `${sandbox}/${name}` });
    drive ??= made(GoogleDriveConnector, 'google-drive');
    gong ??= made(GongConnector, 'gong');
    const { data } = await drive.about.get({ fields: 'user' });
    await gong.users.list();
    return data.user.emailAddress;
  },
};

// biome-ignore lint/style/noDefaultExport: a worker is found by this export alone
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
