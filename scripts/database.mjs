import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { root } from './run.mjs';

/** Runs statements on a connection of their own. @param {string} url @param {...string} statements */
async function run(url, ...statements) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/**
 * A database that can be made temporarily unavailable.
 * @param {string} administrator URL of another database on the server, for a superuser
 * @param {string} name
 * @param {string[]} nodes URLs of the database on each node
 * @param {() => Promise<unknown>} stop
 */
function databaseOf(administrator, name, nodes, stop) {
  return {
    url: /** @type {string} */ (nodes[0]),
    nodes,
    /** Closes every connection and rejects new ones for this long, like a restart. @param {number} ms */
    async away(ms) {
      await run(
        administrator,
        `alter database ${name} allow_connections false`,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      );
      await wait(ms);
      await run(administrator, `alter database ${name} allow_connections true`);
    },
    stop,
  };
}

/** Starts a Postgres server with an empty database. @param {string} name */
export async function startDatabase(name) {
  const child = spawn(process.execPath, [join(root, 'scripts/postgres.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  await run(line, `create database ${name}`);
  const url = new URL(line);
  url.pathname = name;
  return databaseOf(line, name, [url.href], async () => {
    const ended = once(child, 'exit');
    child.stdin.end();
    await ended;
  });
}

/**
 * Creates an empty database on all nodes of a Citus cluster.
 * @param {string} coordinator URL for a superuser
 * @param {string} prefix of the database's name
 */
export async function openCluster(coordinator, prefix) {
  const name = `${prefix}_${process.pid}`;
  const at = (/** @type {string} */ host, /** @type {string | number} */ port, database = name) => {
    const url = new URL(coordinator);
    Object.assign(url, { hostname: host, port: String(port), pathname: database });
    return url.href;
  };
  const { hostname, port, pathname } = new URL(coordinator);
  const workers = await run(
    coordinator,
    'select nodename as host, nodeport as port from pg_dist_node where shouldhaveshards and isactive',
  );
  const nodes = [{ host: hostname, port }, ...workers];
  const other = pathname.slice(1);
  for (const node of nodes) {
    await run(at(node.host, node.port, other), `create database ${name}`);
    await run(at(node.host, node.port), 'create extension citus', 'create extension if not exists vector');
  }
  await run(
    at(hostname, port),
    `select citus_set_coordinator_host('${hostname}', ${port})`,
    ...workers.map((node) => `select citus_add_node('${node.host}', ${node.port})`),
  );
  const urls = nodes.map(({ host, port }) => at(host, port));
  return databaseOf(coordinator, name, urls, async () => {
    for (const node of nodes) await run(at(node.host, node.port, other), `drop database ${name} with (force)`);
  });
}
