import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { ClientConfig, PoolClient } from 'pg';
import type { LossLimits } from './loss-limits.js';

const defaultLimits: LossLimits = { intervalMs: 5000, silentMs: 10_000, answerMs: 2000 };
const checkTimeoutMs = 5000;

/** A statement whose answer has not arrived yet. */
interface Statement {
  readonly client: PoolClient;
  readonly sentAt: number;
}

/** What a client has, but `pg` does not declare. */
type Internals = PoolClient & { readonly processID: number; readonly connection: { readonly stream: Socket } };

/**
 * Ends connections that have silently stopped working, for example after a failover: TCP notices this only after up to
 * 15 minutes. To a client, a long statement looks the same, so the server is asked over a new connection which ones it
 * is running. Statements on an ended connection fail like those on a broken one.
 */
export class LostConnections {
  readonly #config: ClientConfig;
  readonly #limits: LossLimits;
  readonly #statements = new Set<Statement>();
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(config: ClientConfig, limits = defaultLimits) {
    this.#config = config;
    this.#limits = limits;
    this.#timer = setInterval(() => void this.#check(), limits.intervalMs);
    this.#timer.unref();
  }

  /** Watches a statement until its answer arrives. */
  async watch<T>(client: PoolClient, answer: Promise<T>): Promise<T> {
    const statement = { client, sentAt: performance.now() };
    this.#statements.add(statement);
    try {
      return await answer;
    } finally {
      this.#statements.delete(statement);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    const since = performance.now() - this.#limits.silentMs;
    const silent = [...this.#statements].filter(({ sentAt }) => sentAt <= since);
    if (silent.length === 0 || this.#isChecking) return;
    this.#isChecking = true;
    try {
      const suspects = silent.map((statement) => {
        const { connection, processID } = statement.client as Internals;
        return { statement, processID, stream: connection.stream, received: connection.stream.bytesRead };
      });
      const running = await runningProcesses(this.#config);
      if (!running) return;
      await wait(this.#limits.answerMs, undefined, { ref: false });
      for (const { statement, processID, stream, received } of suspects) {
        const isSilent = this.#statements.has(statement) && stream.bytesRead === received;
        if (isSilent && !running.has(processID)) stream.destroy();
      }
    } catch {
      // If the server cannot be reached, nothing is known about its connections.
    } finally {
      this.#isChecking = false;
    }
  }
}

/**
 * Server processes that are running a statement; undefined if the server does not track them, or behind a pooler, which
 * has process ids of its own.
 */
async function runningProcesses(config: ClientConfig): Promise<Set<number> | undefined> {
  const { default: pg } = await import('pg');
  const timeouts = { connectionTimeoutMillis: checkTimeoutMs, query_timeout: checkTimeoutMs };
  const client = new pg.Client({ ...config, ...timeouts });
  client.on('error', () => undefined);
  try {
    await client.connect();
    // A process that waits for its client has not received the whole statement, or cannot send its answer.
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity
        where state = 'active' and coalesce(wait_event, '') not in ('ClientRead', 'ClientWrite')`,
    );
    const pids = new Set(rows.map(({ pid }) => pid));
    return pids.has((client as unknown as Internals).processID) ? pids : undefined;
  } finally {
    void client.end().catch(() => undefined);
  }
}
