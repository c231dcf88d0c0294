import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';
import { createSandbox } from 'agent-connectors-sandbox';

const peers = fileURLToPath(new URL('peers/', import.meta.url));
const sandbox = createSandbox({ seed: 1 });
const { vendors, fetch } = sandbox;
const connectors = [
  new LinearConnector({ credentials: vendors.linear.credentials.api_key, fetch }),
  new GoogleDriveConnector({ credentials: vendors['google-drive'].credentials.oauth, fetch }),
  new GoogleAnalyticsConnector({ credentials: vendors['google-analytics'].credentials.oauth, fetch }),
  new GongConnector({ credentials: vendors.gong.credentials.basic, fetch }),
  new GranolaConnector({ credentials: vendors.granola.credentials.api_key, fetch }),
];
const property_id = vendors['google-analytics'].properties.website;

/** What a model is asked, with the call that answers it. */
const tasks = [
  {
    task: 'Who works on which of the newest 25 issues?',
    ...{ connector: 'linear', entity: 'issues', action: 'list', params: { first: 25 } },
    select_fields: ['title', 'state.name', 'assignee.name'],
  },
  {
    task: 'Which 25 files changed last?',
    ...{ connector: 'google-drive', entity: 'files', action: 'list' },
    params: { pageSize: 25, orderBy: 'modifiedTime desc' },
    select_fields: ['id', 'name', 'modifiedTime'],
  },
  {
    task: 'Where did last month’s visitors come from?',
    ...{ connector: 'google-analytics', entity: 'traffic_sources', action: 'list', params: { property_id, limit: 50 } },
    select_fields: undefined,
  },
  {
    task: 'Which calls were there, and how long were they?',
    ...{ connector: 'gong', entity: 'calls', action: 'list', params: {} },
    select_fields: ['id', 'title', 'started', 'duration'],
  },
  {
    task: 'Which meetings have notes?',
    ...{ connector: 'granola', entity: 'notes', action: 'list', params: { page_size: 25 } },
    select_fields: ['id', 'title', 'created_at'],
  },
];

/** @param {unknown} value */
const bytes = (value) => Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
/** @param {number} count */
const formatCount = (count) => count.toLocaleString('en');

/** One tool for each action, as a server that passes an API through announces them. */
const toolsOfActions = connectors.flatMap((connector) =>
  connector
    .describe()
    .entities.flatMap(({ name: entity, actions }) =>
      actions.map(({ name, description, params }) => ({ name: `${entity}_${name}`, description, inputSchema: params })),
    ),
);

/** What another MCP server announces. @param {string} program @param {Record<string, string>} env */
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

/** Bytes that a model reads for one task with our tools: what it looks up, and the answer. */
async function bytesReadFor({ task: _, select_fields, ...call }) {
  const tools = Object.fromEntries(createAgentTools(connectors).map((tool) => [tool.name, tool]));
  const run = async (name, args) => {
    const { text, isError } = await tools[name].run(args);
    if (isError) throw new Error(text);
    return bytes(text);
  };
  const { connector, entity, action } = call;
  const docs = await run('read_skill_docs', { connector, section: `actions.${entity}.${action}` });
  const answer = await run('execute', { ...call, ...(select_fields && { select_fields }) });
  const wholeRecords = await connectors
    .find((one) => one.describe().name === connector)
    .execute(entity, action, call.params);
  return { docs, answer, passed: bytes(wholeRecords) };
}

/** Tables of the bytes that a model reads; four are about a token. */
export async function readingTables() {
  if (!existsSync(`${peers}node_modules`)) execFileSync('npm', ['ci', '--silent'], { cwd: peers, stdio: 'inherit' });
  const tools = createAgentTools(connectors).map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const linear = await announcedToolsOf('mcp-linear', { LINEAR_API_TOKEN: 'lin_api_bench' });
  const announced = [
    ['our tools, five connectors', tools.length, bytes(tools)],
    ['the same actions, one tool for each', toolsOfActions.length, bytes(toolsOfActions)],
    ['`@tacticlaunch/mcp-linear`, Linear alone', linear.count, linear.size],
  ].map(([what, count, size]) => `| ${what} | ${count} | ${formatCount(Number(size))} |`);
  const rows = [];
  for (const task of tasks) {
    const { docs, answer, passed } = await bytesReadFor(task);
    rows.push(
      `| ${task.task} | ${formatCount(docs)} | ${formatCount(answer)} | ${formatCount(passed)} | ${(passed / (docs + answer)).toFixed(1)} |`,
    );
  }
  return [
    '### What a model reads',
    '',
    'Announced at the start of every conversation:',
    '',
    '| Tools | How many | Bytes |',
    '|---|---|---|',
    ...announced,
    '',
    'For one task: how the action is called, then the answer with just the fields that are asked for, against whole records passed on.',
    '',
    '| Task | Documentation, bytes | Answer, bytes | Whole records, bytes | × ours |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
