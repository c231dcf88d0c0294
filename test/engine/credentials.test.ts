import { inspect } from 'node:util';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';

const canary = 'lin_api_CANARYcanary42';
const make = (credentials: unknown) => () => new LinearConnector({ credentials: credentials as any });

/** Everything about a value that a person or a log could see. */
const visible = (value: unknown) => inspect(value, { depth: null, showHidden: true }) + JSON.stringify(value);

const oauth = { client_id: 'cid', client_secret: canary, refresh_token: canary };

describe('credentials', () => {
  it.each([
    [{ api_key: '' }, 'Linear: credentials.api_key is empty. Is LINEAR_API_KEY set?'],
    [{ api_key: undefined }, 'The credentials for Linear are empty. Is LINEAR_API_KEY set?'],
    [
      { ...oauth, refresh_token: undefined },
      'The credentials for Linear lack refresh_token. Is LINEAR_REFRESH_TOKEN set?',
    ],
  ])('without a value, %j, name the variable that is usually meant', async (credentials, message) => {
    expect((await failure(make(credentials))).message).toContain(message);
  });

  it.each([
    ['no fields', {}, 'are empty'],
    ['only undefined', { api_key: undefined }, 'are empty'],
    ['a list', [canary], 'must be an object'],
    ['an empty key', { api_key: '' }, 'api_key is empty'],
    ['a key of spaces', { api_key: '   ' }, 'api_key is empty'],
    ['a key that is only the word Bearer', { api_key: 'Bearer ' }, 'api_key is empty'],
    ['a key with a line break', { api_key: `${canary}\nx` }, 'api_key contains a line break'],
    ['a key with a carriage return', { api_key: `${canary}\rx` }, 'api_key contains a line break'],
    ['a key with typographic quotes', { api_key: `“${canary}”` }, 'api_key contains an invalid character'],
    ['a key with a NUL', { api_key: `${canary}\0` }, 'api_key contains an invalid character'],
    ['a key that is a number', { api_key: 42 }, 'api_key is not a string'],
    ['a key in a list', { api_key: [canary] }, 'api_key is not a string'],
    ['a key in an object', { api_key: { value: canary } }, 'api_key is not a string'],
    ['a token that is null', { access_token: null }, 'access_token is not a string'],
    [
      'two modes at once',
      { api_key: canary, access_token: canary },
      'mix fields of several modes (api_key, access_token)',
    ],
    ['an incomplete mode', { client_id: 'cid', client_secret: canary }, 'lack refresh_token'],
    ['a misspelled field', { apiKey: canary }, "did you mean 'api_key'"],
    ['an unknown field next to a known one', { api_key: canary, tenant: canary }, 'an unknown field'],
    ['the key as the name of a field', { [canary]: '' }, 'an unknown field'],
    ['the key as the name of a second field', { api_key: canary, [canary]: 1 }, 'an unknown field'],
    ['a secret that is not text', { ...oauth, client_secret: { canary } }, 'client_secret is not a string'],
    ['an empty refresh token', { ...oauth, refresh_token: ' ' }, 'refresh_token is empty'],
    ['a multi-line access token', { ...oauth, access_token: `a\n${canary}` }, 'access_token contains a line break'],
    ['a name that every object inherits', { constructor: canary }, 'an unknown field'],
  ])('with %s are rejected without quoting a value', async (_, credentials, message) => {
    const error = await failure(make(credentials));
    expect(['invalid_credentials', 'invalid_params']).toContain(error.code);
    expect(error.message).toContain(message);
    expect(visible(error)).not.toContain('CANARY');
  });

  it('are described in full when missing', async () => {
    const { message } = await failure(make({ key: 'x' }));
    expect(message).toContain(
      '{ api_key } or { access_token } or { client_id, client_secret, refresh_token, access_token? }',
    );
  });

  it.each([{ api_key: `Bearer ${canary}` }, { api_key: `bearer  ${canary}` }, { api_key: ` ${canary} ` }])(
    'are stripped of characters pasted around a key',
    async (credentials) => {
      const { fetch, sent } = fakeFetch(() => json({ data: { team: { id: 't' } } }));
      await new LinearConnector({ credentials, fetch }).teams.get({ id: 't' });
      expect(sent[0]!.headers.get('authorization')).toBe(canary);
    },
  );

  it.each([
    [{ access_token: `Bearer ${canary}` }],
    [{ client_id: 'c', client_secret: 's3cret', refresh_token: 'r3fresh', access_token: `Bearer ${canary}` }],
  ])('are stripped of a pasted token prefix too', async (credentials) => {
    const { fetch, sent } = fakeFetch(() => json({ data: { team: { id: 't' } } }));
    await new LinearConnector({ credentials, fetch }).teams.get({ id: 't' });
    expect(sent[0]!.headers.get('authorization')).toBe(`Bearer ${canary}`);
  });

  it.each([{ api_key: canary }, { access_token: canary }, { ...oauth, access_token: canary }])(
    'are not visible when a connector is inspected, before or after a call',
    async (credentials) => {
      const { fetch } = fakeFetch(() => json({ data: { team: { id: 't' } } }));
      const connector = new LinearConnector({ credentials, fetch });
      expect(visible(connector)).not.toContain('CANARY');
      await connector.teams.get({ id: 't' });
      expect(visible(connector)).not.toContain('CANARY');
      expect(visible(connector.teams)).not.toContain('CANARY');
      expect(Object.keys(connector)).toEqual([]);
    },
  );

  it('are neither modified nor kept by reference', async () => {
    const credentials = { api_key: ` ${canary} ` };
    const { fetch, sent } = fakeFetch(() => json({ data: { team: { id: 't' } } }));
    const connector = new LinearConnector({ credentials: Object.freeze(credentials), fetch });
    expect(credentials).toEqual({ api_key: ` ${canary} ` });
    await connector.teams.get({ id: 't' });
    expect(sent[0]!.headers.get('authorization')).toBe(canary);
  });
});
