import { describe, expect, it } from 'vitest';
import { optionsFrom, stateLocation } from '../../../service/src/options.js';

describe('the environment', () => {
  it('holds the options', () => {
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
    });
    expect(optionsFrom({ AGENT_CONNECTORS_TRUSTED_PROXIES: '2' }).trustedProxies).toBe(2);
  });

  it('of empty variables is that of none', () => {
    const names = ['DATA', 'KEY', 'KEY_PREVIOUS', 'ENDPOINTS', 'ALLOW_HOSTS'].map((name) => `AGENT_CONNECTORS_${name}`);
    const empty = Object.fromEntries([...names, 'HOST', 'PORT'].map((name) => [name, ' ']));
    expect(optionsFrom(empty)).toEqual(optionsFrom({}));
  });

  it.each([
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
  ])('with %s of %s is refused by name, and not repeated', (name, value) => {
    const read = () => optionsFrom({ [name]: value });
    expect(read).toThrow(name);
    expect(read).not.toThrow('canary');
  });
});

describe('the state', () => {
  it('is kept in a folder, unless it is for trying out and none was named', () => {
    expect(stateLocation({})).toMatchObject({ folder: 'data' });
    expect(stateLocation({ dev: true })).toMatchObject({ folder: ':memory:' });
    expect(stateLocation({ dev: true, databaseUrl: 'postgres://127.0.0.1/x' }).databaseUrl).toBeUndefined();
    expect(stateLocation({ databaseUrl: 'postgres://127.0.0.1/x' }).databaseUrl).toBe('postgres://127.0.0.1/x');
    expect(stateLocation({ dev: true, dataFolder: 'kept' })).toMatchObject({ folder: 'kept' });
  });
});
