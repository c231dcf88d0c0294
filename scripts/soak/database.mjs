import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { root } from '../run.mjs';

/** Starts a Postgres server with a database that can be made temporarily unavailable. */
export async function startDatabase() {
  const child = spawn(process.execPath, [join(root, 'scripts/postgres.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  const owner = async (...statements) => {
    const client = new pg.Client({ connectionString: line });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await owner('create database soak');
  const url = new URL(line);
  url.pathname = 'soak';
  return {
    url: url.href,
    /** Closes every connection and rejects new ones for this long, like a restart. @param {number} ms */
    async away(ms) {
      await owner(
        'alter database soak allow_connections false',
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'soak'",
      );
      await wait(ms);
      await owner('alter database soak allow_connections true');
    },
    async stop() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}
