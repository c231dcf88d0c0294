// #region connect
import { GongConnector } from 'agent-connectors/gong';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { AgentConnectors } from 'agent-connectors/hosted';
import { LinearConnector } from 'agent-connectors/linear';

const service = new AgentConnectors();

await service.connectors.create({
  connector_type: 'linear',
  name: 'issues',
  credentials: { api_key: process.env.LINEAR_API_KEY ?? '' },
});
await service.connectors.create({
  connector_type: 'gong',
  name: 'calls',
  credentials: {
    access_key: process.env.GONG_ACCESS_KEY ?? '',
    access_key_secret: process.env.GONG_ACCESS_KEY_SECRET ?? '',
    base_url: process.env.GONG_BASE_URL ?? 'https://api.gong.io',
  },
});
await service.connectors.create({
  connector_type: 'google-drive',
  name: 'documents',
  credentials: { credentials_json: process.env.GOOGLE_CREDENTIALS_JSON ?? '' },
});

// #endregion

// #region tools
import { createAgentTools } from 'agent-connectors/tools';

const tools = createAgentTools(
  {
    issues: service.connect(LinearConnector, { name: 'issues' }),
    calls: service.connect(GongConnector, { name: 'calls' }),
    documents: service.connect(GoogleDriveConnector, { name: 'documents' }),
  },
  { readOnly: true, searchAll: (search) => service.search(search) },
);
// #endregion

// #region instructions
export const instructions = `Answer from the company's issues, calls and documents.
Search first. Read a record with execute only if the hit's text does not suffice.
Give the title and URL of every source. If nothing was found, say so.`;
// #endregion

// #region hits
const { data: hits } = await service.search({ prompt: 'Which customers asked for single sign-on?', limit: 5 });
for (const { connector, title, url } of hits) console.log(`${connector.name}: ${title} ${url ?? ''}`);

// #endregion

export { tools };
