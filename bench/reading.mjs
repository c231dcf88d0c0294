import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createAgentTools } from 'agent-connectors/tools';

const peers = fileURLToPath(new URL('peers/', import.meta.url));
/** @param {unknown} value */
const bytes = (value) => Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
/** @param {number} count */
const formatCount = (count) => count.toLocaleString('en');

/** One tool per action, as in a server that exposes an API one to one. */
const toolsOfActions = (connectors) =>
  Object.values(connectors).flatMap((connector) =>
    connector.describe().entities.flatMap(({ name: entity, actions }) =>
      actions.map(({ name, description, params }) => ({
        name: `${entity}_${name}`,
        description,
        inputSchema: params,
      })),
    ),
  );

/** The tools listed by another MCP server. @param {string} program @param {Record<string, string>} env */
async function announcedToolsOf(program, env) {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const command = `${peers}node_modules/.bin/${program}`;
  await client.connect(
    new StdioClientTransport({ command, args: [], env: { ...process.env, ...env }, stderr: 'ignore' }),
  );
  const { tools } = await client.listTools();
  await client.close();
  return { count: tools.length, size: bytes(tools) };
}

/** Tables of how many tokens a model reads. */
export async function readingTables() {
  if (!existsSync(`${peers}node_modules`)) execFileSync('npm', ['ci', '--silent'], { cwd: peers, stdio: 'inherit' });
  // Imported here because importing it starts replication.
  const { close, connectors, tasksTable } = await import('./reading-tasks.mjs');
  const actionTools = toolsOfActions(connectors);
  const tools = createAgentTools(connectors).map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const linear = await announcedToolsOf('mcp-linear', { LINEAR_API_TOKEN: 'lin_api_bench' });
  const announced = [
    ['`agent-connectors` tools, five connectors', tools.length, bytes(tools)],
    ['one tool per action, five connectors', actionTools.length, bytes(actionTools)],
    ['`@tacticlaunch/mcp-linear`, Linear only', linear.count, linear.size],
  ].map(([what, count, size]) => `| ${what} | ${count} | ${formatCount(Number(size))} |`);
  const tasks = await tasksTable();
  await close();
  return [
    '### What a model reads',
    '',
    'Tool definitions sent at the start of every conversation:',
    '',
    '| Tools | Number | Bytes |',
    '|---|---|---|',
    ...announced,
    '',
    'The table shows the size of the call results for each task, in the previous format (whole records as JSON, bytes as base64) and in the current one. Tokens are counted with `estimateTokens`. Issues are searched in a service’s replica.',
    '',
    tasks,
  ].join('\n');
}
