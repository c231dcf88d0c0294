import { randomBytes } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { distribute } from '../../../service/src/data/records/index.js';
import { openTestStore, query } from './server.js';

/** URL of a database on a Citus coordinator, for a superuser; the catalog lists the workers. */
export const citusUrl = process.env.CITUS_URL;

/** A node that stores records. */
export interface Worker {
  readonly host: string;
  readonly port: number;
}

/** The workers of the cluster. */
export const clusterWorkers = (): Promise<Worker[]> =>
  query(
    citusUrl!,
    'select nodename as host, nodeport as port from pg_dist_node where shouldhaveshards and isactive order by nodeport',
  );

/** URL of a database on a node, for a superuser. */
export function superuserUrl({ host, port }: { host: string; port: number | string }, database: string): string {
  const url = new URL(citusUrl!);
  Object.assign(url, { hostname: host, port: String(port), pathname: database });
  return url.href;
}

/** URL of a test's database on the coordinator, for a superuser. */
export const ownerUrl = (databaseUrl: string): string => {
  const { hostname: host, port, pathname } = new URL(databaseUrl);
  return superuserUrl({ host, port }, pathname.slice(1));
};

/**
 * Creates a database on all nodes of the cluster, owned by a new non-superuser role, and returns its URL. The database is
 * deleted after the test.
 */
export async function clusterDatabase(): Promise<string> {
  const name = `test_${randomBytes(4).toString('hex')}`;
  const at = (host: string, port: number | string, database: string) => superuserUrl({ host, port }, database);
  const { hostname, port } = new URL(citusUrl!);
  const workers = await clusterWorkers();
  // Each database keeps a Citus process running on every node.
  onTestFinished(async () => {
    for (const node of [{ host: hostname, port }, ...workers])
      await query(at(node.host, node.port, 'postgres'), `drop database if exists ${name} with (force)`);
  });
  for (const node of [{ host: hostname, port }, ...workers]) {
    await query(at(node.host, node.port, 'postgres'), `create database ${name}`);
    await query(at(node.host, node.port, name), 'create extension citus');
    // Without it, passages are found by their words only.
    const [vector] = await query(
      at(node.host, node.port, name),
      `select 1 from pg_available_extensions where name = 'vector'`,
    );
    if (vector) await query(at(node.host, node.port, name), 'create extension vector');
  }
  const own = at(hostname, port, name);
  await query(own, 'select citus_set_coordinator_host($1, $2)', [hostname, Number(port)]);
  for (const { host, port: workerPort } of workers)
    await query(own, 'select citus_add_node($1, $2)', [host, workerPort]);
  const url = new URL(own);
  await query(own, `create role ${name} login${url.password && ` password '${url.password}'`}`);
  await query(own, `grant create on database ${name} to ${name}`);
  await query(own, `grant create, usage on schema public to ${name}`);
  url.username = name;
  return url.href;
}

/** A store whose tables are spread over the nodes of a cluster, and its address. */
export async function distributedStore(options: Parameters<typeof openTestStore>[1]) {
  const url = await clusterDatabase();
  const first = await openTestStore(url, options);
  await first.close();
  expect((await distribute(url)).length).toBeGreaterThan(6);
  expect(await distribute(url)).toEqual([]);
  return { url, store: await openTestStore(url, options) };
}
