import { createServer, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import { startPostgres } from '../postgres.js';

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const message = (type: string, body: Buffer) => Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
const parameterStatus = (name: string, value: string) => message('S', Buffer.from(`${name}\0${value}\0`));
const idleStatus = Buffer.from('I');
/** The server's response to a client admitted without a password. */
const startupReply = Buffer.concat([
  message('R', int32(0)),
  parameterStatus('server_version', '17.0'),
  parameterStatus('client_encoding', 'UTF8'),
  parameterStatus('server_encoding', 'UTF8'),
  parameterStatus('DateStyle', 'ISO, MDY'),
  parameterStatus('integer_datetimes', 'on'),
  parameterStatus('standard_conforming_strings', 'on'),
  message('K', Buffer.alloc(8)),
  message('Z', idleStatus),
]);

/** Messages that need an immediate response: a query or a Sync. */
const batchEnds = new Set(['Q', 'S']);

/** Shares a database's single session: each connection has it from its first message to the end of its transaction. */
class SessionQueue {
  readonly #database: PGlite;
  #last: Promise<unknown> = Promise.resolve();
  /** The connection whose settings the session currently has. */
  #current: PostgresConnection | undefined;

  constructor(database: PGlite) {
    this.#database = database;
  }

  /** Waits for the session; returns a function that ends the turn. */
  async acquire(connection: PostgresConnection): Promise<() => void> {
    const before = this.#last;
    let free = () => {};
    this.#last = new Promise<void>((resolve) => {
      free = resolve;
    });
    await before;
    if (this.#current !== connection) await this.#database.exec(`reset all; ${connection.settings}`);
    this.#current = connection;
    return free;
  }

  /** Resolves when no connection has a turn or is waiting for one. */
  async idle(): Promise<void> {
    await this.#last;
  }

  execute(bytes: Uint8Array): Promise<Uint8Array> {
    return this.#database.runExclusive(() => this.#database.execProtocolRaw(bytes, { syncToFs: false }));
  }
}

/** A client connection. */
class PostgresConnection {
  /** Settings that the connection has set. */
  settings = '';
  readonly #socket: Socket;
  readonly #sessions: SessionQueue;
  #bytes = Buffer.alloc(0);
  #isStarted = false;
  #pending: Buffer[] = [];
  #release: (() => void) | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(socket: Socket, turns: SessionQueue) {
    this.#socket = socket;
    this.#sessions = turns;
    socket.on('data', (bytes) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes as Buffer]);
      this.#queue = this.#queue.then(() => this.#read()).catch((error) => socket.destroy(error));
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#queue = this.#queue.then(() => this.#handleClose());
    });
  }

  async #read(): Promise<void> {
    for (;;) {
      const head = this.#isStarted ? 1 : 0;
      if (this.#bytes.length < head + 4) return;
      const length = head + this.#bytes.readInt32BE(head);
      if (this.#bytes.length < length) return;
      const whole = this.#bytes.subarray(0, length);
      this.#bytes = this.#bytes.subarray(length);
      if (this.#isStarted) await this.#handleMessage(whole);
      else this.#socket.write(startupReply);
      this.#isStarted = true;
    }
  }

  async #handleMessage(whole: Buffer): Promise<void> {
    const type = String.fromCharCode(whole[0]!);
    if (type === 'X') return;
    this.#pending.push(whole);
    if (!batchEnds.has(type)) return;
    const batch = Buffer.concat(this.#pending);
    this.#pending = [];
    const sql = type === 'Q' ? whole.subarray(5, -1).toString() : '';
    this.#release ??= await this.#sessions.acquire(this);
    const answer = Buffer.from(await this.#sessions.execute(batch));
    if (/^set /i.test(sql)) this.settings = sql;
    // The response ends with the transaction status.
    if (answer.at(-1) === idleStatus[0]) this.#end();
    this.#socket.write(answer);
  }

  async #handleClose(): Promise<void> {
    if (!this.#release) return;
    await this.#sessions.execute(message('Q', Buffer.from('rollback\0')));
    this.#end();
  }

  #end(): void {
    this.#release?.();
    this.#release = undefined;
  }
}

let starting: Promise<PGlite> | undefined;

/** Removes everything that a dump and its users have created. */
async function empty(database: PGlite): Promise<void> {
  await database.exec('discard all');
  await database.exec(`do $$ declare name text; begin
    for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', name);
    end loop; end $$; create schema public`);
}

/** An in-process Postgres with a loaded dump, on its own port; the next one has to wait until it is closed. */
export async function serveDump(sql: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  starting ??= startPostgres();
  const database = await starting;
  await empty(database);
  await database.exec(sql);
  await database.exec('reset all');
  const turns = new SessionQueue(database);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay());
    new PostgresConnection(socket, turns);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  return {
    url: `postgres://owner@127.0.0.1:${port}/postgres`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await turns.idle();
    },
  };
}
