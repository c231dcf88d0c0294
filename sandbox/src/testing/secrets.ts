import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { ConnectorError, type ConnectorOptions } from 'agent-connectors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { faultKinds } from '../faults.js';
import { type LocalAction, localActions, prepareTrial, type Subject, type TestedConnector } from './subject.js';
import { advanceUntilSettled, freezeTime, skipBackoff, waitUntil } from './time.js';

const canary = 'CANARY-7f3a+9/b==';

/** Everything in a value that a program could log. */
const inspectAll = (value: unknown) =>
  [inspect(value, { showHidden: true, depth: 12 }), JSON.stringify(value), String((value as Error)?.stack)].join('\n');

const requestText = (request: Request, body: string) =>
  `${request.url} ${JSON.stringify(Object.fromEntries(request.headers))} ${body}`;

/** Responses and fetch errors that echo the request. */
const echoes: Record<string, (said: string) => Response> = {
  'a refusal': (said) => Response.json({ message: said, error: said, errors: [{ message: said }] }, { status: 401 }),
  'a bad request': (said) =>
    Response.json({ errors: [{ message: said, extensions: { code: said } }] }, { status: 400 }),
  'a plain text error': (said) => new Response(said, { status: 500 }),
  'a page instead of JSON': (said) =>
    new Response(`<html>${said}</html>`, { headers: { 'content-type': 'text/html' } }),
  'a redirect': (said) =>
    new Response(null, { status: 302, headers: { location: `https://x.example/?${encodeURIComponent(said)}` } }),
  'a request id': (said) => Response.json({}, { status: 404, headers: { 'x-request-id': said.slice(0, 2000) } }),
  'a fetch error': (said) => {
    throw new TypeError('fetch failed', { cause: new Error(`invalid header: ${said}`) });
  },
};

interface CanaryCredentials {
  readonly credentials: Readonly<Record<string, string>>;
  /** The secrets that must not be shown. */
  readonly secrets: readonly string[];
}

/** Canaries in place of every secret, for each auth method. */
const canaries = ({ Connector }: Subject) =>
  Connector.describe().auth.map(({ mode, fields }): [string, CanaryCredentials] => {
    const required = fields.filter((field) => field.required);
    const file = required.some(({ name }) => name === 'credentials_json') ? keyFile(canary) : undefined;
    const credentials = Object.fromEntries(
      required.map(({ name, secret }) => [name, secret ? `${canary}${name}` : name]),
    );
    return [
      mode,
      {
        credentials: { ...credentials, ...(file && { credentials_json: file.text }) },
        secrets: [canary, ...(file?.lines ?? [])],
      },
    ];
  });

/** The signed assertions of a token request. */
const assertionsIn = (body: string) => new URLSearchParams(body).getAll('assertion');

/** The secrets among credentials in use. */
function secretsIn({ Connector }: Subject, credentials: Readonly<Record<string, string>>): string[] {
  const fields = Connector.describe().auth.flatMap((mode) => mode.fields);
  const secretNames = new Set(fields.filter(({ secret }) => secret).map(({ name }) => name));
  return Object.entries(credentials)
    .filter(([name]) => secretNames.has(name))
    .flatMap(([name, value]) => (name === 'credentials_json' ? linesOf(value) : [value]));
}

/** Tests that the library never exposes a secret, regardless of the call's outcome. */
export function testSecrets(subject: Subject): void {
  const { Connector } = subject;
  const actions = localActions(subject);
  const exampleOf = ({ entity, action }: LocalAction) =>
    Connector.manifest.entities[entity]!.actions[action]!.example as object;

  const recordEvents = () => {
    const events: unknown[] = [];
    const record = (event: unknown) => void events.push(event);
    const hooks: NonNullable<ConnectorOptions['hooks']> = {
      onRequest: record,
      onResponse: record,
      onRetry: record,
      onResponseMismatch: record,
    };
    return { events, hooks };
  };
  const expectError = async (connector: TestedConnector, { entity, action }: LocalAction, params: object) => {
    const error = await connector.execute(entity, action, params).catch((thrown: unknown) => thrown);
    expect(ConnectorError.is(error)).toBe(true);
    return error;
  };

  describe('secrets', () => {
    beforeEach(() => skipBackoff());
    afterEach(() => void vi.restoreAllMocks());

    describe.each(canaries(subject))('of %s', (_mode, { credentials, secrets }) => {
      const expectHidden = (values: readonly unknown[], where: string, more: readonly string[] = []) => {
        const text = values.map(inspectAll).join('\n');
        expect(
          [...secrets, ...more].filter((secret) => text.includes(secret)),
          where,
        ).toEqual([]);
      };

      test.each(Object.keys(echoes))('are hidden when echoed in %s', async (echo) => {
        // A download accepts any HTML page as content.
        for (const localAction of actions.filter(({ binary }) => !binary || !echo.startsWith('a page'))) {
          const { events, hooks } = recordEvents();
          const assertions: string[] = [];
          const fetch = async (input: unknown, init?: RequestInit) => {
            const body = String(init?.body ?? '');
            assertions.push(...assertionsIn(body));
            return echoes[echo]!(requestText(new Request(input as string, init), body));
          };
          const connector = new Connector({ credentials, fetch, hooks, retries: 1 });
          const error = await expectError(connector, localAction, exampleOf(localAction));
          expectHidden([error, events, connector], localAction.label, assertions);
        }
      });

      test('are hidden if the vendor rejects them', async () => {
        for (const localAction of actions) {
          const { sandbox } = await prepareTrial(subject, localAction);
          const { events, hooks } = recordEvents();
          const connector = new Connector({ credentials, fetch: sandbox.fetch, hooks });
          const error = await expectError(connector, localAction, exampleOf(localAction));
          expect(['unauthorized', 'invalid_credentials'], localAction.label).toContain((error as ConnectorError).code);
          expectHidden([error, events, connector.describe()], localAction.label);
        }
      });
    });

    test.each(faultKinds)('are hidden during a call, with the fault %s', async (kind) => {
      const { events, hooks } = recordEvents();
      for (const localAction of actions
        .filter(({ reads }) => !reads)
        .concat(actions)
        .slice(0, 2)) {
        const { sandbox, connector, run } = await prepareTrial(subject, localAction, { hooks, timeoutMs: 100 });
        sandbox.faults.add({ kind, count: Number.POSITIVE_INFINITY, retryAfter: 0, ms: 1_000 });
        // Freezes time until the call's request is running, so that slow machines do not affect the test.
        freezeTime();
        const ended = run().catch((thrown: unknown) => thrown);
        await waitUntil(() => sandbox.requests.length > 0);
        const outcome = await advanceUntilSettled(ended);
        vi.useRealTimers();
        for (const secret of secretsIn(subject, subject.credentials(sandbox))) {
          for (const value of [outcome, events, connector]) expect(inspectAll(value)).not.toContain(secret);
        }
      }
    });
  });
}

/** A service account's key file: its text and the lines of its key. */
interface KeyFile {
  readonly text: string;
  readonly lines: readonly string[];
}

/** A key file unknown to every vendor: every field contains `mark` except the key, which is valid for signing. */
function keyFile(mark: string): KeyFile {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const private_key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const text = JSON.stringify({
    type: 'service_account',
    project_id: 'unknown',
    private_key_id: `${mark}private_key_id`,
    private_key,
    client_email: 'unknown@unknown.iam.gserviceaccount.com',
    client_id: `${mark}client_id`,
    token_uri: 'https://oauth2.googleapis.com/token',
    extra: `${mark}extra`,
  });
  return { text, lines: linesOf(text) };
}

/** The lines of the key in a key file's text: each line is as secret as the whole key. */
const linesOf = (text: string): string[] =>
  (JSON.parse(text) as { private_key: string }).private_key
    .split('\n')
    .filter((line) => line.length > 20 && !line.startsWith('-----'));
