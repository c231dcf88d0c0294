import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Faults that can affect the bytes of an exchange. */
export const kinds = ['cut', 'reset', 'truncate', 'stall', 'duplicate'] as const;
export type Kind = (typeof kinds)[number];
export type Direction = 'request' | 'reply';

/** A fault at byte `at` in one direction of a connection; connections are numbered from the last `arm()`. */
export interface InjectedFault {
  readonly kind: Kind | (() => void);
  readonly direction: Direction;
  readonly connection: number;
  readonly at: number;
}

/** Bytes transferred over one connection. */
export type Tally = Record<Direction, number>;

/** Milliseconds before a stalled connection is dropped. */
const stallMs = 8;

/** A TCP proxy to a local server that fails on request. */
export class FaultyProxy {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly url: string;
  #fault: InjectedFault | undefined;
  #tallies: Tally[] = [];
  #hasFired = false;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async to(port: number): Promise<FaultyProxy> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const way = new FaultyProxy(server);
    server.on('connection', (socket) => way.#carry(socket, port));
    return way;
  }

  /** Resets the counts and arms one fault, if given. */
  arm(fault?: InjectedFault): void {
    this.#fault = fault;
    this.#tallies = [];
    this.#hasFired = false;
  }

  get tallies(): readonly Readonly<Tally>[] {
    return this.#tallies;
  }

  /** Whether the fault has happened. */
  get hasFired(): boolean {
    return this.#hasFired;
  }

  /** Whether a connection is open, so that more bytes can arrive. */
  get busy(): boolean {
    return this.#open.size > 0;
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #carry(near: Socket, port: number): void {
    const tally: Tally = { request: 0, reply: 0 };
    const number = this.#tallies.push(tally) - 1;
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      this.#open.add(socket);
      socket.on('close', () => this.#open.delete(socket));
      // When one side breaks, the other is closed too.
      socket.on('error', () => {
        near.destroy();
        far.destroy();
      });
    }
    this.#forward('request', near, far, number, tally);
    this.#forward('reply', far, near, number, tally);
  }

  #forward(direction: Direction, from: Socket, to: Socket, connection: number, tally: Tally): void {
    const seen: Buffer[] = [];
    let silent = false;
    from.on('end', () => {
      if (!silent) to.end();
    });
    from.on('data', (chunk: Buffer) => {
      const before = tally[direction];
      tally[direction] += chunk.length;
      const strike = this.#fault;
      const isDue = strike && !this.#hasFired && strike.direction === direction && strike.connection === connection;
      if (silent) return;
      if (!isDue || tally[direction] < strike.at) {
        if (isDue && strike.kind === 'duplicate') seen.push(chunk);
        to.write(chunk);
        return;
      }
      this.#hasFired = true;
      const split = strike.at - before;
      const head = chunk.subarray(0, split);
      if (strike.kind === 'duplicate') {
        to.write(Buffer.concat([head, ...seen, chunk]));
        return;
      }
      silent = true;
      const act = () => this.#break(strike.kind, from, to);
      if (head.length > 0) to.write(head, act);
      else act();
    });
  }

  #break(kind: InjectedFault['kind'], from: Socket, to: Socket): void {
    const both = [from, to];
    const reset = () => {
      for (const socket of both) socket.resetAndDestroy();
    };
    if (typeof kind === 'function') kind();
    else if (kind === 'reset') reset();
    else if (kind === 'stall') setTimeout(reset, stallMs);
    else {
      to.end();
      if (kind === 'cut') from.end();
      setTimeout(() => {
        for (const socket of both) socket.destroy();
      }, stallMs);
    }
  }
}
