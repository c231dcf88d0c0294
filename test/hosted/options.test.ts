import { AgentConnectors } from 'agent-connectors/hosted';
import { LinearConnector } from 'agent-connectors/linear';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { json } from '../engine/fake-fetch.js';
import { failure } from '../failure.js';
import { baseUrl, client, serviceDouble, target } from './double.js';

const variables = ['BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'ORGANIZATION_ID', 'WORKSPACE'];

beforeEach(() => {
  for (const name of variables) vi.stubEnv(`AGENT_CONNECTORS_${name}`, '');
});
afterEach(() => void vi.unstubAllEnvs());

const set = (environment: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(`AGENT_CONNECTORS_${name}`, value);
};

/** The error from creating a connector with these options. */
const refused = (hosted: object) => failure(() => new LinearConnector({ hosted }));
const made = (hosted: object) => new LinearConnector({ hosted });

describe('a mistake in the options is reported immediately', () => {
  test.each([
    ['a misspelled name', { ...target, connectorid: 'con_1' }, "Did you mean 'connectorId'?"],
    ['a number', { ...target, connectorId: 7 }, 'connectorId must be printable ASCII text'],
    ['an empty name', { ...target, name: ' ' }, 'name must be text'],
    ['a token as well as a client', { ...target, token: 't' }, 'pass token, or clientId and clientSecret, not both'],
    ['a token as well as a client id', { baseUrl, token: 't', clientId: 'c' }, 'not both'],
    ['no URL', client, 'hosted.baseUrl is missing: pass it, or set AGENT_CONNECTORS_BASE_URL'],
    ['no client', { baseUrl }, 'hosted.clientId is missing: pass it, or set AGENT_CONNECTORS_CLIENT_ID'],
    ['no secret', { baseUrl, clientId: 'c' }, 'hosted.clientSecret is missing'],
    ['an invalid URL', { ...target, baseUrl: 'service' }, 'not an http or https URL'],
    ['another protocol', { ...target, baseUrl: 'ftp://service.test' }, 'not an http or https URL'],
    ['a password in the URL', { ...target, baseUrl: 'https://a:b@service.test' }, 'a user name or password'],
    ['a query', { ...target, baseUrl: 'https://service.test/?a=b' }, 'a query or fragment'],
    ['a fragment', { ...target, baseUrl: 'https://service.test/#a' }, 'a query or fragment'],
  ])('%s', async (_, hosted, message) => {
    const error = await refused(hosted);
    expect(error.code).toBe('invalid_params');
    expect(error.message).toContain(message);
  });

  test('without quoting a secret', async () => {
    for (const secret of ['two\nlines', 'sécret', ' ']) {
      for (const hosted of [
        { baseUrl, token: secret },
        { baseUrl, clientId: 'c', clientSecret: secret },
      ]) {
        const error = await refused(hosted);
        expect(['invalid_params', 'invalid_credentials']).toContain(error.code);
        if (secret.trim()) expect(error.message).not.toContain(secret.trim());
      }
    }
  });

  test('such as a setting that only the service supports', async () => {
    const { GongConnector } = await import('agent-connectors/gong');
    const error = await failure(() => new GongConnector({ hosted: target, includePrivate: true }));
    expect(error.code).toBe('invalid_params');
    expect(error.message).toContain('includePrivate must be set on the connector in the service, not in these options');
    expect(new GongConnector({ hosted: target, includePrivate: false })).toBeInstanceOf(GongConnector);
    const credentials = { access_key: 'k', access_key_secret: 's' };
    expect(new GongConnector({ hosted: target, includePrivate: true, credentials })).toBeInstanceOf(GongConnector);
  });

  test('in the service client too', async () => {
    const asked = (options: object) => failure(() => new AgentConnectors(options));
    expect((await asked({ ...client })).message).toContain('AGENT_CONNECTORS_BASE_URL');
    expect((await asked({ baseUrl, ...client, clientid: 'c' })).message).toContain("Did you mean 'clientId'?");
    expect((await asked({ baseUrl, ...client, connectorId: 'c' })).message).toContain("have no 'connectorId'");
    expect((await asked({ baseUrl, ...client, retries: -1 })).message).toContain('retries must be');
  });
});

describe('a token is not sent unencrypted over public networks', () => {
  test.each([
    'https://service.example.com',
    'http://localhost:4020',
    'http://127.0.0.1:4020',
    'http://[::1]:4020',
    'http://10.1.2.3',
    'http://172.16.0.1',
    'http://192.168.1.1',
    'http://[fd12:3456::1]',
    'http://connectors',
    'http://connectors.internal:4020',
    'http://printer.local',
  ])('%s is accepted', (address) => {
    expect(made({ ...target, baseUrl: address })).toBeInstanceOf(LinearConnector);
  });

  test.each([
    'http://service.example.com',
    'http://8.8.8.8',
    'http://134744072',
    'http://172.32.0.1',
    'http://[2001:db8::1]',
    'http://[::ffff:8.8.8.8]',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
  ])('%s is rejected', async (address) => {
    expect((await refused({ ...target, baseUrl: address })).message).toContain('unencrypted');
  });
});

describe('a missing option', () => {
  test('is ignored if reading the environment is not allowed', async () => {
    const { env } = process;
    const closed = () => {
      throw new Error('Requires env access');
    };
    Object.defineProperty(process, 'env', { get: closed, configurable: true });
    try {
      expect(made(target)).toBeInstanceOf(LinearConnector);
    } finally {
      Object.defineProperty(process, 'env', { value: env, configurable: true, writable: true, enumerable: true });
    }
  });

  test('is read from the environment', async () => {
    const double = serviceDouble();
    set({
      BASE_URL: 'https://env.test/',
      CLIENT_ID: 'env-client',
      CLIENT_SECRET: 'env-secret',
      ORGANIZATION_ID: 'org_env',
      WORKSPACE: 'env-workspace',
    });
    const linear = new LinearConnector({ hosted: {}, fetch: double.fetch });
    await linear.issues.list();
    expect(double.tokens[0]!.json).toEqual({ client_id: 'env-client', client_secret: 'env-secret' });
    expect(double.sent.map(({ url }) => url.origin)).toEqual(Array(3).fill('https://env.test'));
    expect(double.lists[0]!.url.searchParams.get('workspace_name')).toBe('env-workspace');
    expect(double.executed[0]!.headers.get('x-organization-id')).toBe('org_env');
    const me = new AgentConnectors({ fetch: double.fetch });
    await me.connectors.list();
    expect(double.sent.at(-1)!.url.href).toBe('https://env.test/api/v1/integrations/connectors');
  });

  test('is overridden by one passed as an option', async () => {
    set({ BASE_URL: 'https://env.test', CLIENT_ID: 'env', CLIENT_SECRET: 'env', WORKSPACE: 'env' });
    const double = serviceDouble();
    const hosted = { baseUrl, token: 'own', workspace: 'own' };
    await new LinearConnector({ hosted, fetch: double.fetch }).issues.list();
    expect(double.tokens).toEqual([]);
    expect(double.lists[0]!.url.origin).toBe(baseUrl);
    expect(double.lists[0]!.url.searchParams.get('workspace_name')).toBe('own');
  });

  test('is named in the error if it is not in the environment either', async () => {
    set({ BASE_URL: baseUrl });
    expect((await refused({})).message).toContain('AGENT_CONNECTORS_CLIENT_ID');
    set({ CLIENT_ID: 'c' });
    expect((await refused({})).message).toContain('AGENT_CONNECTORS_CLIENT_SECRET');
  });
});

test.each([
  ['https://service.test/', 'https://service.test/api/v1/'],
  ['https://service.test/api/v1/', 'https://service.test/api/v1/'],
  ['https://proxy.test/connectors', 'https://proxy.test/connectors/api/v1/'],
])('the base URL %s results in requests to %s', async (address, prefix) => {
  const sent: string[] = [];
  const fetch = async (input: unknown) => {
    sent.push(String(input));
    return String(input).endsWith('/token')
      ? json({ access_token: 't', expires_in: 900 })
      : json({ data: [], next: null });
  };
  await new AgentConnectors({ ...client, baseUrl: address, fetch: fetch as typeof globalThis.fetch }).connectors.list();
  expect(sent).toEqual([`${prefix}account/applications/token`, `${prefix}integrations/connectors`]);
});
