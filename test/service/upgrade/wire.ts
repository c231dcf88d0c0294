import { createServer, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import { startedPostgres } from '../postgres.js';

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const message = (type: string, body: Buffer) => Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
const told = (name: string, value: string) => message('S', Buffer.from(`${name}\0${value}\0`));
const idle = Buffer.from('I');
/** What a server says to whoever it lets in without a password. */
const welcome = Buffer.concat([
  message('R', int32(0)),
  ...[told('server_version', '17.0'), told('client_encoding', 'UTF8'), told('server_encoding', 'UTF8')],
  ...[told('DateStyle', 'ISO, MDY'), told('integer_datetimes', 'on'), told('standard_conforming_strings', 'on')],
  ...[message('K', Buffer.alloc(8)), message('Z', idle)],
]);

/** Messages that wait for their answer at once: a query, or what comes before a Sync. */
const ends = new Set(['Q', 'S']);

/** Connections of one database, which has a single session: each has it from its first message to the end of its transaction. */
class Turns {
  readonly #database: PGlite;
  #last: Promise<unknown> = Promise.resolve();
  /** Whose settings the session has. */
  #current: Line | undefined;

  constructor(database: PGlite) {
    this.#database = database;
  }

  /** Waits for the session, and gives what ends the turn. */
  async taken(by: Line): Promise<() => void> {
    const before = this.#last;
    let free = () => {};
    this.#last = new Promise<void>((resolve) => {
      free = resolve;
    });
    await before;
    if (this.#current !== by) await this.#database.exec(`reset all; ${by.settings}`);
    this.#current = by;
    return free;
  }

  answered(bytes: Uint8Array): Promise<Uint8Array> {
    return this.#database.runExclusive(() => this.#database.execProtocolRaw(bytes, { syncToFs: false }));
  }
}

/** One connection. */
class Line {
  /** What the connection has set for itself. */
  settings = '';
  readonly #socket: Socket;
  readonly #turns: Turns;
  #bytes = Buffer.alloc(0);
  #begun = false;
  #waiting: Buffer[] = [];
  #free: (() => void) | undefined;
  #working: Promise<unknown> = Promise.resolve();

  constructor(socket: Socket, turns: Turns) {
    this.#socket = socket;
    this.#turns = turns;
    socket.on('data', (bytes) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes as Buffer]);
      this.#working = this.#working.then(() => this.#read()).catch((error) => socket.destroy(error));
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#working = this.#working.then(() => this.#left());
    });
  }

  async #read(): Promise<void> {
    for (;;) {
      const head = this.#begun ? 1 : 0;
      if (this.#bytes.length < head + 4) return;
      const length = head + this.#bytes.readInt32BE(head);
      if (this.#bytes.length < length) return;
      const whole = this.#bytes.subarray(0, length);
      this.#bytes = this.#bytes.subarray(length);
      if (this.#begun) await this.#told(whole);
      else this.#socket.write(welcome);
      this.#begun = true;
    }
  }

  async #told(whole: Buffer): Promise<void> {
    const type = String.fromCharCode(whole[0]!);
    if (type === 'X') return;
    this.#waiting.push(whole);
    if (!ends.has(type)) return;
    const asked = Buffer.concat(this.#waiting);
    this.#waiting = [];
    const sql = type === 'Q' ? whole.subarray(5, -1).toString() : '';
    this.#free ??= await this.#turns.taken(this);
    const answer = Buffer.from(await this.#turns.answered(asked));
    if (/^set /i.test(sql)) this.settings = sql;
    // It ends with whether a transaction is open.
    if (answer.at(-1) === idle[0]) this.#end();
    this.#socket.write(answer);
  }

  async #left(): Promise<void> {
    if (!this.#free) return;
    await this.#turns.answered(message('Q', Buffer.from('rollback\0')));
    this.#end();
  }

  #end(): void {
    this.#free?.();
    this.#free = undefined;
  }
}

/** A Postgres in this process that has carried out a dump, at an address of its own. */
export async function servedDump(sql: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const database = await startedPostgres();
  await database.exec(sql);
  await database.exec('reset all');
  const turns = new Turns(database);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay());
    new Line(socket, turns);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  return {
    url: `postgres://owner@127.0.0.1:${port}/postgres`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await database.close();
    },
  };
}
