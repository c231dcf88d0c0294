import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { createService, type Service } from 'agent-connectors-service';
import { afterAll, onTestFinished } from 'vitest';
import type { CliEnvironment } from '../../src/cli/environment.js';
import { run } from '../../src/cli/run.js';

/** The result of one command. */
export interface Outcome {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
  /** Standard output as JSON. */
  readonly json: any;
  /** The error on standard error. */
  readonly error: any;
}

/** A temporary folder, removed after the test. */
export function tempFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'agent-connectors-cli-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** An output that records what is written, as a terminal or not. */
function sink(
  isTTY = false,
  columns = 100,
  onText?: (text: string) => void,
): Writable & { text(): string; isTTY: boolean; columns: number } {
  const chunks: Buffer[] = [];
  const output = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      onText?.(String(chunk));
      done();
    },
  });
  return Object.assign(output, { text: () => Buffer.concat(chunks).toString(), isTTY, columns });
}

/** What the user types, character by character; each answer waits for its prompt. */
export function keyboard(
  ...typed: string[]
): PassThrough & { isTTY: boolean; raw: boolean[]; setRawMode(raw: boolean): void } {
  const raw: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, raw, setRawMode: (on: boolean) => void raw.push(on) });
  for (const answer of typed) stdin.write(answer);
  return stdin;
}

/** The parts of a command's environment that a test can set. */
export interface CommandOptions {
  readonly env?: Record<string, string>;
  readonly home?: string;
  readonly input?: string | Buffer;
  readonly stdin?: CliEnvironment['stdin'];
  readonly terminal?: boolean;
  /** Width of the output. */
  readonly columns?: number;
  readonly fetch?: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
  readonly browse?: (address: string) => boolean;
  readonly platform?: NodeJS.Platform;
  /** Called with what is written to standard error. */
  readonly onError?: (text: string) => void;
}

const noNetwork: typeof globalThis.fetch = async (input) => {
  throw new TypeError(`nothing may be fetched here: ${input instanceof Request ? input.url : input}`);
};

/** Runs a command in this process. */
export async function runCommand(argv: readonly string[], options: CommandOptions = {}): Promise<Outcome> {
  const { terminal = false, home = '/nowhere', input, columns } = options;
  const [stdout, stderr] = [sink(terminal, columns), sink(terminal, columns, options.onError)];
  const stdin = options.stdin ?? PassThrough.from(input === undefined ? [] : [Buffer.from(input)]);
  const exit = await run(argv, {
    stdin: stdin as CliEnvironment['stdin'],
    stdout,
    stderr,
    home,
    env: options.env ?? {},
    platform: options.platform ?? 'linux',
    signal: options.signal ?? new AbortController().signal,
    fetch: options.fetch ?? noNetwork,
    browse: options.browse ?? (() => false),
  });
  const [out, err] = [stdout.text(), stderr.text()];
  return { exit, out, err, json: parseJson(out), error: parseJson(err) };
}

function parseJson(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A service in this process, with a sandbox as its vendors. */
export interface TestService {
  readonly sandbox: Sandbox;
  readonly service: Service;
  readonly fetch: typeof globalThis.fetch;
  readonly client: { readonly client_id: string; readonly client_secret: string };
  readonly env: Record<string, string>;
  readonly organizations: readonly string[];
  /** Requests that reached the service. */
  readonly requests: Array<{ readonly method: string; readonly path: string; readonly headers: Headers }>;
}

export const serviceUrl = 'http://service.internal';

/** Opens such a service; its first client can act in the named organizations, each with a `default` workspace. */
export async function startTestService(...names: string[]): Promise<TestService> {
  const sandbox = createSandbox();
  const service = await createService({ dev: true, fetch: sandbox.fetch, replicate: false });
  const { organizations, workspaces, clients } = service.state;
  const made = await Promise.all((names.length > 0 ? names : ['acme']).map((name) => organizations.create(name)));
  for (const { id } of made) await workspaces.create(id, 'default');
  const { client, secret } = await clients.create(
    'tests',
    made.map(({ id }) => id),
  );
  const requests: TestService['requests'] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    requests.push({ method: request.method, path: new URL(request.url).pathname, headers: request.headers });
    return service.fetch(request);
  };
  afterAll(() => service.close());
  return {
    sandbox,
    service,
    fetch,
    requests,
    client: { client_id: client.id, client_secret: secret },
    organizations: made.map(({ id }) => id),
    env: {
      AGENT_CONNECTORS_BASE_URL: serviceUrl,
      AGENT_CONNECTORS_CLIENT_ID: client.id,
      AGENT_CONNECTORS_CLIENT_SECRET: secret,
    },
  };
}

/** A key that the sandbox accepts. */
export const linearKey = 'lin_api_sandbox_full_access';
