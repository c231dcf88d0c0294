import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { openStore } from '../../../service/src/data/records/open.js';
import type { Store, StoreOptions } from '../../../service/src/data/records/types.js';
import { type Pooler, startPooler } from './pooler.js';

const script = fileURLToPath(new URL('../../../scripts/postgres.mjs', import.meta.url));
/** The script exits with this code if Postgres is not installed. */
const exitCodeMissing = 2;
/** Direct URLs of databases, keyed by their URL through the pooler. */
const directUrls = new Map<string, string>();

/** A Postgres server for the tests in one file. */
export class Server {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #plain: boolean;
  readonly #pooler: Pooler | undefined;
  #databases = 0;

  constructor(child: ChildProcess, url: string, plain: boolean, pooler?: Pooler) {
    this.#child = child;
    this.#url = url;
    this.#plain = plain;
    this.#pooler = pooler;
  }

  /** The URL of a new, empty database, through the pooler if there is one. */
  async database(options = ''): Promise<string> {
    const name = `test_${++this.#databases}`;
    const url = new URL(this.#url);
    url.pathname = name;
    url.username = name;
    // A new role that is not a superuser, since superusers bypass policies.
    await query(this.#url, `create role ${name} login password '${url.password}'`);
    await query(this.#url, `create database ${name} owner ${name} ${options}`);
    // Only an administrator can create the pgvector extension.
    if (!this.#plain) await query(new URL(name, this.#url).href, 'create extension vector');
    const direct = url.href;
    if (this.#pooler) url.port = String(this.#pooler.port);
    directUrls.set(url.href, direct);
    return url.href;
  }

  /** Runs statements as the administrator. */
  async administer(...statements: string[]): Promise<void> {
    for (const statement of statements) await query(this.#url, statement);
  }

  async stop(): Promise<void> {
    await this.#pooler?.stop();
    const ended = once(this.#child, 'exit');
    this.#child.stdin!.end();
    await ended;
  }
}

/**
 * Starts a server, with pgvector unless `plain`; undefined if Postgres is not installed. `programs` is a folder with
 * another Postgres, without pgvector.
 *
 * With `PGBOUNCER=1` in the environment, PgBouncer runs in front of it, in transaction mode.
 */
export async function startServer({
  plain = false,
  programs,
}: {
  plain?: boolean;
  programs?: string;
} = {}): Promise<Server | undefined> {
  const args = [...(plain ? ['--plain'] : []), ...(programs === undefined ? [] : ['--programs', programs])];
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const stderr: string[] = [];
  child.stderr.on('data', (chunk) => stderr.push(String(chunk)));
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => text as string),
    once(child, 'exit').then(([code]) => code as number),
  ]);
  if (typeof line === 'string') {
    if (process.env.PGBOUNCER !== '1') return new Server(child, line, plain || programs !== undefined);
    const pooler = await startPooler(line);
    if (pooler) return new Server(child, line, plain || programs !== undefined, pooler);
    child.stdin.end();
    return undefined;
  }
  // `REQUIRE_POSTGRES=1` makes tests fail that would otherwise be skipped silently.
  if (line === exitCodeMissing && process.env.REQUIRE_POSTGRES !== '1') return undefined;
  throw new Error(`No server came up:\n${stderr.join('')}`);
}

/** The address of a database, bypassing the pooler. */
export const directUrlOf = (databaseUrl: string): string => directUrls.get(databaseUrl) ?? databaseUrl;

/** Lends a connection that bypasses the pooler and sees the rows of all organizations. */
export async function withClient<T>(
  databaseUrl: string,
  work: (run: <Row extends object>(sql: string, values?: unknown[]) => Promise<Row[]>) => Promise<T>,
): Promise<T> {
  const connectionString = directUrlOf(databaseUrl);
  const client = new pg.Client({ connectionString, options: '-c agent_connectors.scope=all' });
  await client.connect();
  try {
    return await work(async (sql, values = []) => (await client.query(sql, values)).rows);
  } finally {
    await client.end();
  }
}

/** Runs one statement on its own connection. */
export const query = <Row extends object>(databaseUrl: string, sql: string, values: unknown[] = []): Promise<Row[]> =>
  withClient(databaseUrl, (run) => run<Row>(sql, values));

/** A store in a database, closed after the test. */
export async function openTestStore(
  databaseUrl: string,
  options: Pick<StoreOptions, 'entities' | 'embedders' | 'searchTimeoutMs'>,
): Promise<Store> {
  const store = await openStore({ cursorKeys: () => [new Uint8Array(32).fill(7)], databaseUrl, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Waits until the service has no statement running in a database; the statement of a killed process can outlive it. */
export async function waitUntilIdle(databaseUrl: string): Promise<void> {
  for (;;) {
    const rows = await query(
      databaseUrl,
      `select 1 from pg_stat_activity where datname = current_database()
        and application_name = 'agent-connectors-service' and state <> 'idle'`,
    );
    if (rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
