import { inspect } from 'node:util';
import { AgentConnectors } from 'agent-connectors/hosted';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, test } from 'vitest';
import { skipBackoff } from '../../sandbox/src/testing/time.js';
import { json, type SentRequest } from '../engine/fake-fetch.js';
import { failure } from '../failure.js';
import { baseUrl, errorReply, issue, serviceDouble } from './double.js';

const secret = 'CANARY-secret+9/b==';
const token = 'CANARY-token.eyJ+x/==';
const client = { clientId: 'cli_1', clientSecret: secret };

/** Everything in a value that a program could log. */
const shown = (value: unknown) =>
  [inspect(value, { showHidden: true, depth: 12 }), JSON.stringify(value), String((value as Error)?.stack)].join('\n');

const everything = ({ url, headers, body }: SentRequest) => `${url} ${JSON.stringify([...headers])} ${body}`;

/** Responses, and failures of fetch, that echo the request. */
const echoes: Record<string, (said: string) => Response> = {
  'a service error': (said) =>
    errorReply(422, 'invalid_params', {
      message: said,
      hint: said,
      errors: [{ field: said, message: said }],
      vendor: { code: said, message: said, request_id: said, status: 400 },
    }),
  'a transient error': (said) => errorReply(502, 'upstream', { message: said }),
  'a rejected token': (said) => errorReply(401, 'unauthorized', { message: said }),
  'a gateway’s page': (said) => new Response(`<html>${said}</html>`, { status: 502 }),
  'a page instead of JSON': (said) => new Response(`<html>${said}</html>`),
  'a redirect': (said) =>
    new Response(null, { status: 302, headers: { location: `https://x.test/?${encodeURI(said)}` } }),
  'a fetch error': (said) => {
    throw new TypeError('fetch failed', { cause: new Error(`invalid header: ${said}`) });
  },
};

describe.each(Object.keys(echoes))('a secret echoed in %s', (name) => {
  const answering = () => {
    const answer = (sent: SentRequest) => echoes[name]!(everything(sent));
    const first = { token: () => json({ access_token: token, expires_in: 900 }) };
    return {
      'to a call': { ...first, execute: answer, list: answer },
      'to a token request': { token: answer },
    };
  };

  test.each(['to a call', 'to a token request'] as const)(
    'does not appear in any error or hook when the response is %s',
    async (where) => {
      skipBackoff();
      const events: unknown[] = [];
      const see = (event: unknown) => void events.push(event);
      const hooks = { onRequest: see, onResponse: see, onRetry: see, onResponseMismatch: see };
      const errors: unknown[] = [];
      for (const auth of [client, { token }]) {
        if (where !== 'to a call' && 'token' in auth) continue;
        const { fetch } = serviceDouble(answering()[where]);
        const hosted = { baseUrl, ...auth, connectorId: 'con_1' };
        const linear = new LinearConnector({ hosted, fetch, hooks });
        const service = new AgentConnectors({ baseUrl, ...auth, fetch });
        for (const call of [
          () => linear.issues.list(),
          () => linear.issues.create(issue),
          () => service.connectors.list(),
          () => service.connectors.create({ connector_type: 'linear', name: 'x' }),
        ]) {
          errors.push(await failure(call), linear, service);
        }
      }
      expect(events.length).toBeGreaterThan(where === 'to a call' ? 0 : -1);
      const text = [...errors, ...events].map(shown).join('\n');
      const forms = [secret, token, encodeURIComponent(secret), encodeURI(secret), btoa(secret)];
      expect(forms.filter((form) => text.includes(form))).toEqual([]);
    },
  );
});
