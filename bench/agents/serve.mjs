// Evaluates the tools with an agent that has no other tools: `node bench/agents/serve.mjs [port]` serves them over
// HTTP, backed by a service with replicas of the sandbox's five vendors. `tasks.md` is the agent's input. GET / lists
// the tools, POST / runs `{"name", "arguments"}`, and Ctrl+C prints the calls, failures and tokens read.
import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectors as types } from 'agent-connectors';
import { codeMode } from 'agent-connectors/code';
import { AgentConnectors } from 'agent-connectors/hosted';
import { createAgentTools, estimateTokens } from 'agent-connectors/tools';
import { createSandbox } from 'agent-connectors-sandbox';
import { createService } from 'agent-connectors-service';

const port = Number(process.argv[2] ?? 4800);
const { vendors, fetch: vendorFetch } = createSandbox({ seed: 1 });
const service = await createService({ dataFolder: ':memory:', dev: true, fetch: vendorFetch });
const { id: organization } = await service.state.organizations.create('agents');
await service.state.workspaces.create(organization, 'default');
const { client, secret } = await service.state.clients.create('agents', [organization]);
const target = { baseUrl: 'http://127.0.0.1:1', clientId: client.id, clientSecret: secret, workspace: 'default' };
/** @type {typeof globalThis.fetch} */
const fetch = (input, init) => {
  const request = new Request(input, init);
  return request.url.startsWith(target.baseUrl) ? service.fetch(request) : vendorFetch(request);
};
const hosted = new AgentConnectors({ ...target, fetch });

const credentials = {
  linear: vendors.linear.credentials.api_key,
  'google-drive': vendors['google-drive'].credentials.oauth,
  'google-analytics': vendors['google-analytics'].credentials.oauth,
  gong: vendors.gong.credentials.basic,
  granola: vendors.granola.credentials.api_key,
};
const ids = [];
/** @type {Record<string, any>} */
const connectors = {};
for (const [type, values] of Object.entries(credentials)) {
  const replication_config =
    type === 'google-analytics' ? { property_ids: vendors['google-analytics'].properties.website } : {};
  const { id } = await hosted.connectors.create({
    connector_type: type,
    name: type,
    credentials: values,
    replication_config,
  });
  ids.push(id);
  const Connector = await /** @type {Record<string, () => Promise<any>>} */ (types)[type]();
  connectors[type] = new Connector({ hosted: { ...target, connectorId: id }, fetch });
}
for (const id of ids) {
  for (;;) {
    const { data } = await hosted.connectors.jobs(id);
    if (data.some(({ status }) => status === 'done' || status === 'failed')) break;
    await sleep(200);
  }
}

const tools = createAgentTools(connectors, { searchAll: (search) => hosted.search(search), codeMode: codeMode() });
const total = { calls: 0, failures: 0, tokens: 0 };
const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    const announced = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    response.end(JSON.stringify(announced, null, 1));
    return;
  }
  const { name, arguments: given } = JSON.parse(await textOf(request));
  const tool = tools.find((one) => one.name === name);
  const { text, isError } = tool ? await tool.run(given) : { text: `There is no tool ${name}.`, isError: true };
  total.calls++;
  if (isError) total.failures++;
  total.tokens += estimateTokens(text);
  response.end(text);
});
server.listen(port, '127.0.0.1', () => console.log(`The tools are available at http://127.0.0.1:${port}/`));
process.once('SIGINT', async () => {
  console.log(`${total.calls} calls, ${total.failures} failures, ${total.tokens} tokens read`);
  server.close();
  await service.close();
});
