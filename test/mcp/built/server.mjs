/** Serves two connectors on a sandbox, like a program that has installed the package. */
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { serveStdio } from 'agent-connectors/mcp';
import { createSandbox } from 'agent-connectors-sandbox';

const { fetch, vendors } = createSandbox({ seed: 7 });
const linear = new LinearConnector({ fetch, credentials: vendors.linear.credentials.api_key });
const granola = new GranolaConnector({ fetch, credentials: vendors.granola.credentials.api_key });
const server = await serveStdio([linear, granola], { allowWrites: process.argv.includes('--allow-writes') });
await server.closed;
