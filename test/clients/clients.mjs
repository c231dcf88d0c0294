/** The clients: how each is started with our server and a model endpoint, without a person. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const bin = (name) => here(`node_modules/.bin/${name}`);
const prompt = 'Read the issues.';

/**
 * What a client needs to start.
 * @typedef {{ home: string, model: string, server: { command: string, args: string[], env: Record<string, string> } }} Place
 * @typedef {{ command: string, args: string[], env?: Record<string, string> }} Start
 * @typedef {{ name: string, package?: string, pip?: string, mcp?: 1 | 2, node?: number, start(place: Place): Start }} Client
 */

/** Writes a file in the client's home folder. @param {string} home @param {string} name @param {unknown} content */
function write(home, name, content) {
  mkdirSync(join(home, name, '..'), { recursive: true });
  writeFileSync(join(home, name), typeof content === 'string' ? content : JSON.stringify(content));
}

/** @param {string} name @param {string} modelName @returns {Client} */
const codex = (name, modelName) => ({
  name,
  package: '@openai/codex',
  start({ home, model, server }) {
    const toml = [
      `model = "${modelName}"`,
      'model_provider = "scripted"',
      'approval_policy = "never"',
      '[model_providers.scripted]',
      'name = "scripted"',
      `base_url = "${model}/v1"`,
      'env_key = "SCRIPTED_KEY"',
      'wire_api = "responses"',
      '[mcp_servers.connectors]',
      `command = ${JSON.stringify(server.command)}`,
      `args = ${JSON.stringify(server.args)}`,
      '[mcp_servers.connectors.env]',
      ...Object.entries(server.env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    ];
    write(home, '.codex/config.toml', toml.join('\n'));
    const args = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt];
    return {
      command: bin('codex'),
      args,
      env: { CODEX_HOME: join(home, '.codex'), SCRIPTED_KEY: 'x' },
    };
  },
});

/** A script in this folder that uses a library. @param {string} name @param {string} packageName @param {string} file @returns {Client} */
const script = (name, packageName, file) => ({
  name,
  package: packageName,
  start: ({ model }) => ({ command: process.execPath, args: [here(file)], env: { MODEL_URL: model } }),
});

/**
 * A Python program that uses a library, which needs version 1 or 2 of the MCP package.
 * @param {string} name @param {string} pip @param {1 | 2} mcp @returns {Client}
 */
const python = (name, pip, mcp) => ({
  name,
  pip,
  mcp,
  start: ({ model }) => ({
    command: here(`node_modules/.venv-mcp-${mcp}/bin/python`),
    args: [here(`python/${pip.replaceAll('-', '_')}_client.py`)],
    env: { MODEL_URL: model, OPENAI_API_KEY: 'x', GEMINI_API_KEY: 'x' },
  }),
});

/** @type {Client[]} */
export const clients = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    start({ home, model, server }) {
      write(home, 'mcp.json', { mcpServers: { connectors: { type: 'stdio', ...server } } });
      const flags = [
        '--mcp-config',
        join(home, 'mcp.json'),
        '--strict-mcp-config',
        '--allowedTools',
        'mcp__connectors',
      ];
      return {
        command: bin('claude'),
        args: ['-p', prompt, '--model', 'claude-sonnet-4-5', ...flags],
        env: {
          ANTHROPIC_BASE_URL: model,
          ANTHROPIC_API_KEY: 'x',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          // Otherwise the model must find the tools first.
          ENABLE_TOOL_SEARCH: 'false',
        },
      };
    },
  },
  codex('Codex, known model', 'gpt-5.5'),
  codex('Codex, unknown model', 'scripted'),
  {
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    node: 24,
    start({ home, model, server }) {
      write(home, '.gemini/settings.json', {
        mcpServers: { connectors: { ...server, trust: true } },
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
      });
      return {
        command: bin('gemini'),
        args: ['-p', prompt, '--yolo', '--skip-trust', '-m', 'gemini-2.5-flash'],
        env: { GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_HOME: home },
      };
    },
  },
  {
    name: 'Copilot CLI',
    package: '@github/copilot',
    node: 24,
    start({ home, model, server }) {
      const config = { mcpServers: { connectors: { type: 'local', tools: ['*'], ...server } } };
      return {
        command: bin('copilot'),
        args: [
          '-p',
          prompt,
          '--allow-all',
          '--disable-builtin-mcps',
          '--additional-mcp-config',
          JSON.stringify(config),
        ],
        env: {
          COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
          COPILOT_PROVIDER_API_KEY: 'x',
          COPILOT_MODEL: 'scripted',
          COPILOT_HOME: join(home, '.copilot'),
        },
      };
    },
  },
  {
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    node: 24,
    start({ home, model, server }) {
      write(home, '.qwen/settings.json', {
        mcpServers: { connectors: { ...server, trust: true } },
        security: { auth: { selectedType: 'openai' } },
        // Otherwise the model must find the tools first.
        tools: { toolSearch: { enabled: false, threshold: 100 } },
        general: { disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
      });
      return {
        command: bin('qwen'),
        args: ['-p', prompt, '--yolo'],
        env: {
          OPENAI_API_KEY: 'x',
          OPENAI_BASE_URL: `${model}/v1`,
          OPENAI_MODEL: 'scripted',
          // Otherwise the first request comes before the tools.
          QWEN_CODE_LEGACY_MCP_BLOCKING: '1',
        },
      };
    },
  },
  {
    name: 'opencode',
    package: 'opencode-ai',
    start({ home, model, server }) {
      const { command, args, env } = server;
      write(home, 'project/opencode.json', {
        autoupdate: false,
        share: 'disabled',
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'scripted',
            options: { baseURL: `${model}/v1`, apiKey: 'x' },
            models: { scripted: { name: 'scripted', tool_call: true } },
          },
        },
        mcp: { connectors: { type: 'local', command: [command, ...args], environment: env, enabled: true } },
        permission: { '*': 'allow' },
      });
      return {
        command: bin('opencode'),
        args: ['run', '--model', 'scripted/scripted', prompt],
        env: { OPENCODE_DISABLE_MODELS_FETCH: '1' },
      };
    },
  },
  script('AI SDK', 'ai', 'ai-sdk.mjs'),
  script('LangChain.js', '@langchain/mcp-adapters', 'langchain.mjs'),
  script('OpenAI Agents (JS)', '@openai/agents', 'openai-agents.mjs'),
  script('Mastra', '@mastra/mcp', 'mastra.mjs'),
  python('LangChain (Python)', 'langchain-mcp-adapters', 1),
  python('OpenAI Agents (Python)', 'openai-agents', 2),
  python('pydantic-ai', 'pydantic-ai-slim', 2),
  python('google-genai', 'google-genai', 1),
  python('llama-index', 'llama-index-tools-mcp', 2),
  python('FastMCP proxy, then OpenAI Agents', 'fastmcp', 2),
];
