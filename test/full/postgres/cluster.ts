import { randomBytes } from 'node:crypto';
import { query } from './server.js';

/** URL of a database on a Citus coordinator, for a superuser; the catalog lists the workers. */
export const citusUrl = process.env.CITUS_URL;

/** Creates a database on all nodes of the cluster, owned by a new non-superuser role; returns its URL. */
export async function clusterDatabase(): Promise<string> {
  const name = `test_${randomBytes(4).toString('hex')}`;
  const at = (host: string, port: number | string, database: string) => {
    const url = new URL(citusUrl!);
    Object.assign(url, { hostname: host, port: String(port), pathname: database });
    return url.href;
  };
  const { hostname, port } = new URL(citusUrl!);
  const workers = await query<{ host: string; port: number }>(
    citusUrl!,
    'select nodename as host, nodeport as port from pg_dist_node where shouldhaveshards and isactive',
  );
  for (const node of [{ host: hostname, port }, ...workers]) {
    await query(at(node.host, node.port, 'postgres'), `create database ${name}`);
    await query(at(node.host, node.port, name), 'create extension citus');
    await query(at(node.host, node.port, name), 'create extension if not exists vector');
  }
  const own = at(hostname, port, name);
  await query(own, 'select citus_set_coordinator_host($1, $2)', [hostname, Number(port)]);
  for (const { host, port: workerPort } of workers)
    await query(own, 'select citus_add_node($1, $2)', [host, workerPort]);
  const url = new URL(own);
  await query(own, `create role ${name} login${url.password && ` password '${url.password}'`}`);
  await query(own, `grant create, usage on schema public to ${name}`);
  url.username = name;
  return url.href;
}
