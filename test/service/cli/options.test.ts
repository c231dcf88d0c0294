import { describe, expect, it, onTestFinished } from 'vitest';
import { readArguments } from '../../../service/src/cli/arguments.js';
import { optionsFrom, stateLocation } from '../../../service/src/options.js';
import { startEmbedder } from '../embedding/server.js';
import { runToEnd } from './terminal.js';

const embedder = 'AGENT_CONNECTORS_EMBEDDER';
const previousEmbedder = 'AGENT_CONNECTORS_PREVIOUS_EMBEDDER';
const local = 'http://127.0.0.1:1/v1';

describe('the environment', () => {
  it('sets the options', () => {
    const options = optionsFrom({
      AGENT_CONNECTORS_DATA: '/var/lib/data',
      AGENT_CONNECTORS_KEY: 'new',
      AGENT_CONNECTORS_KEY_PREVIOUS: 'old, older,',
      HOST: '0.0.0.0',
      PORT: '80',
      AGENT_CONNECTORS_ENDPOINTS: '{"linear": "http://127.0.0.1:1/l", "gong": {"api": "https://proxy.example/g"}}',
      AGENT_CONNECTORS_ALLOW_HOSTS: 'Gong.example.com, other.example:8443',
      AGENT_CONNECTORS_HOST_NAMES: 'Connectors.internal, *',
      AGENT_CONNECTORS_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      AGENT_CONNECTORS_LIMITS: '{"rate": 0.5, "burst": 7}',
      AGENT_CONNECTORS_TRACE_VENDORS: '1',
      AGENT_CONNECTORS_INDEX_HIDDEN: '1',
      AGENT_CONNECTORS_MCP_ALLOW_WRITES: '0',
      AGENT_CONNECTORS_MCP_ALLOW_ORIGINS: 'App.example.com, [::1]',
      AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_ID: 'one',
      AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_SECRET: ' two ',
      AGENT_CONNECTORS_OAUTH_GOOGLE_DRIVE_CLIENT_ID: 'three',
      AGENT_CONNECTORS_OAUTH_GOOGLE_DRIVE_CLIENT_SECRET: 'four',
      AGENT_CONNECTORS_OAUTH_GONG_CLIENT_ID: '',
      OTHER: 'x',
      AGENT_CONNECTORS_LOCAL_METRICS: '1',
    });
    expect(options).toEqual({
      dataFolder: '/var/lib/data',
      key: 'new',
      previousKeys: ['old', 'older'],
      host: '0.0.0.0',
      port: 80,
      endpoints: { linear: 'http://127.0.0.1:1/l', gong: { api: 'https://proxy.example/g' } },
      allowHosts: ['gong.example.com', 'other.example:8443'],
      hostNames: ['connectors.internal', '*'],
      trustedProxies: ['10.0.0.0/8', '::1'],
      limits: { rate: 0.5, burst: 7 },
      traceVendors: true,
      indexHidden: true,
      mcpAllowWrites: false,
      mcpAllowOrigins: ['app.example.com', '[::1]'],
      oauthClients: {
        linear: { clientId: 'one', clientSecret: 'two' },
        'google-drive': { clientId: 'three', clientSecret: 'four' },
      },
      localMetrics: true,
    });
    expect(optionsFrom({ AGENT_CONNECTORS_TRUSTED_PROXIES: '2' }).trustedProxies).toBe(2);
    expect(readArguments(['--local-metrics'], {}).options.localMetrics).toBe(true);
  });

  it('sets the log level, unless an option overrides it', () => {
    expect(readArguments([], {}).logLevel).toBe('info');
    expect(readArguments([], { AGENT_CONNECTORS_LOG_LEVEL: 'debug' }).logLevel).toBe('debug');
    expect(readArguments(['--log-level', 'warn'], { AGENT_CONNECTORS_LOG_LEVEL: 'debug' }).logLevel).toBe('warn');
    expect(() => readArguments(['--log-level', 'loud'], {})).toThrow('--log-level must be one of debug, info');
  });

  it('treats empty variables as unset', () => {
    const names = ['DATA', 'KEY', 'KEY_PREVIOUS', 'ENDPOINTS', 'ALLOW_HOSTS', 'MCP_ALLOW_WRITES', 'EMBEDDER_URL'];
    const variables = [...names.map((name) => `AGENT_CONNECTORS_${name}`), 'HOST', 'PORT'];
    const empty = Object.fromEntries(variables.map((name) => [name, ' ']));
    expect(optionsFrom(empty)).toEqual(optionsFrom({}));
  });

  it('configures everything about an embedder', async () => {
    const server = await startEmbedder();
    onTestFinished(() => server.close());
    const { embedders } = optionsFrom({
      [`${embedder}_URL`]: `${server.url}/ `,
      [`${embedder}_MODEL`]: 'words',
      [`${embedder}_KEY`]: 'canary',
      [`${embedder}_DIMENSIONS`]: '8',
      [`${embedder}_QUERY_PREFIX`]: 'query: ',
      [`${embedder}_PASSAGE_PREFIX`]: 'passage: ',
    });
    await embedders![0]!.embed(['one'], 'query');
    await embedders![0]!.embed(['two'], 'passage');
    const common = { path: '/v1/embeddings', authorization: 'Bearer canary', model: 'words', dimensions: 8 };
    expect(server.requests).toMatchObject([
      { ...common, input: ['query: one'] },
      { ...common, input: ['passage: two'] },
    ]);
  });

  it('configures the active embedder, the previous one if it differs, and the built-in one', () => {
    const idsOf = (now?: string, before?: string) => {
      const current = now && { [`${embedder}_URL`]: local, [`${embedder}_MODEL`]: now };
      const previous = before && { [`${previousEmbedder}_URL`]: local, [`${previousEmbedder}_MODEL`]: before };
      return optionsFrom({ ...current, ...previous }).embedders?.map(({ id }) => id.replace(/-.*/, ''));
    };
    expect(idsOf('new', 'old')).toEqual(['new', 'old', 'minilm']);
    expect(idsOf('new', 'new')).toEqual(['new', 'minilm']);
    expect(idsOf('new')).toEqual(['new', 'minilm']);
    expect(idsOf(undefined, 'old')).toEqual(['minilm', 'old']);
    expect(idsOf()).toBeUndefined();
  });

  it('selects a local model, which requires an extra package', () => {
    expect(() => optionsFrom({ [embedder]: 'local' })).toThrow(/npm install agent-connectors-embedder/);
  });

  it('disables embedding', () => {
    expect(optionsFrom({ [embedder]: 'none' }).embedders).toEqual([]);
    expect(readArguments(['--embedder', 'none'], {}).options.embedders).toEqual([]);
  });
});

describe('the command', () => {
  it.each<[name: string, value: string, more?: Record<string, string>]>([
    ['PORT', '-1'],
    ['PORT', '4020.5'],
    ['AGENT_CONNECTORS_ENDPOINTS', '{canary'],
    ['AGENT_CONNECTORS_ENDPOINTS', '{"linear": "canary"}'],
    ['AGENT_CONNECTORS_ENDPOINTS', '{"linear": {"canary": "https://canary.example"}}'],
    ['AGENT_CONNECTORS_ENDPOINTS', '{"linear": "ftp://canary.example"}'],
    ['AGENT_CONNECTORS_ALLOW_HOSTS', 'https://canary:secret@gong.example.com'],
    ['AGENT_CONNECTORS_ALLOW_HOSTS', '*'],
    ['AGENT_CONNECTORS_HOST_NAMES', 'https://canary.example'],
    ['AGENT_CONNECTORS_TRUSTED_PROXIES', 'canary.example'],
    ['AGENT_CONNECTORS_LIMITS', '{canary'],
    ['AGENT_CONNECTORS_LIMITS', '{"rate": "canary"}'],
    ['AGENT_CONNECTORS_LIMITS', '{"canary": 1}'],
    ['AGENT_CONNECTORS_TRACE_VENDORS', 'canary'],
    ['AGENT_CONNECTORS_MCP_ALLOW_WRITES', 'canary'],
    ['AGENT_CONNECTORS_MCP_ALLOW_WRITES', 'true'],
    ['AGENT_CONNECTORS_MCP_ALLOW_ORIGINS', 'https://canary.example'],
    ['AGENT_CONNECTORS_MCP_ALLOW_ORIGINS', 'canary.example:8080'],
    ['AGENT_CONNECTORS_MCP_ALLOW_ORIGINS', '*'],
    ['AGENT_CONNECTORS_PUBLIC_URL', 'canary'],
    ['AGENT_CONNECTORS_PUBLIC_URL', 'ftp://canary.example'],
    ['AGENT_CONNECTORS_PUBLIC_URL', 'https://user:canary@a.example'],
    ['AGENT_CONNECTORS_PUBLIC_URL', 'https://canary.example/?x=1'],
    ['AGENT_CONNECTORS_PUBLIC_URL', 'javascript:canary(1)'],
    [`${embedder}_MODEL`, '', { [`${embedder}_URL`]: 'http://canary.example' }],
    [`${embedder}_URL`, '', { [`${embedder}_KEY`]: 'canary' }],
    [`${embedder}_URL`, 'ftp://canary.example', { [`${embedder}_MODEL`]: 'words' }],
    [`${embedder}_URL`, 'https://user:canary@example.com', { [`${embedder}_MODEL`]: 'words' }],
    [embedder, 'canary'],
    ...[embedder, previousEmbedder].map(
      (prefix) =>
        [
          `${prefix}_URL`,
          '',
          { [embedder]: 'none', [`${prefix}_URL`]: 'http://canary.example', [`${prefix}_MODEL`]: 'words' },
        ] as [string, string, Record<string, string>],
    ),
    [`${previousEmbedder}_MODEL`, '', { [`${previousEmbedder}_URL`]: 'http://canary.example' }],
    ...['0', '1.5', '-1', '16001', 'canary'].map(
      (value) =>
        [`${embedder}_DIMENSIONS`, value, { [`${embedder}_URL`]: local, [`${embedder}_MODEL`]: 'words' }] as [
          string,
          string,
          Record<string, string>,
        ],
    ),
    [`${embedder}_KEY`, 'canary\u2026', { [`${embedder}_URL`]: local, [`${embedder}_MODEL`]: 'words' }],
    ['AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_SECRET', '', { AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_ID: 'canary' }],
    ['AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_ID', '', { AGENT_CONNECTORS_OAUTH_LINEAR_CLIENT_SECRET: 'canary' }],
    ['LINAER_CLIENT_ID is not a known environment variable', '', { AGENT_CONNECTORS_OAUTH_LINAER_CLIENT_ID: 'canary' }],
  ])('reports an invalid %s without quoting its value %j', async (name, value, more = {}) => {
    const { code, out, error } = await runToEnd([], { environment: { [name]: value, ...more } });
    expect([code, out]).toEqual([1, '']);
    expect(error).toContain(name);
    expect(error).not.toContain('canary');
  });

  it('gives arguments precedence over the environment', () => {
    const given = ['--mcp-allow-writes', '--mcp-allow-origin', 'a.example', '--mcp-allow-origin', 'b.example'];
    const environment = { AGENT_CONNECTORS_MCP_ALLOW_WRITES: '0', AGENT_CONNECTORS_MCP_ALLOW_ORIGINS: 'c.example' };
    expect(readArguments(given, environment).options).toMatchObject({
      mcpAllowWrites: true,
      mcpAllowOrigins: ['a.example', 'b.example'],
    });
    expect(readArguments([], {}).options).toEqual({});
  });
});

describe('the state', () => {
  it('is stored in a folder, except in dev mode if no folder is given', () => {
    expect(stateLocation({})).toMatchObject({ folder: 'data' });
    expect(stateLocation({ dev: true })).toMatchObject({ folder: ':memory:' });
    // A database that the caller names is used.
    expect(stateLocation({ dev: true, databaseUrl: 'postgres://127.0.0.1/x' })).toEqual({
      folder: 'data',
      databaseUrl: 'postgres://127.0.0.1/x',
    });
    expect(stateLocation({ databaseUrl: 'postgres://127.0.0.1/x' }).databaseUrl).toBe('postgres://127.0.0.1/x');
    expect(stateLocation({ dev: true, dataFolder: 'kept' })).toMatchObject({ folder: 'kept' });
  });
});
