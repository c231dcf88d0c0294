import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/** Network access attempted while it was monitored. */
export interface NetworkWatch {
  /** Hosts that were connected to, including blocked attempts. */
  readonly hosts: ReadonlySet<string>;
  /** Host names that were looked up. */
  readonly names: ReadonlySet<string>;
  /** Stops monitoring. */
  restore(): void;
}

const isLoopback = (host: string): boolean =>
  /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+|localhost)$/.test(host);

/** The host and port that a socket connects to; undefined for a file system socket. */
function hostOf(args: readonly unknown[]): string | undefined {
  // Node passes its own normalized arguments as one array.
  const [first, second] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
  const isPort = typeof first === 'number' || (typeof first === 'string' && /^\d+$/.test(first));
  if (isPort) return typeof second === 'string' ? second : 'localhost';
  if (typeof first !== 'object' || first === null) return undefined;
  const { path, host = 'localhost' } = first as { path?: string | null; host?: string };
  return path == null ? host : undefined;
}

const blockedError = (what: string) => Object.assign(new Error(`${what} is not of this machine`), { code: 'EACCES' });

/** Blocks every connection that leaves this machine and every name lookup, and records the attempts. */
export function watchNetwork(): NetworkWatch {
  const hosts = new Set<string>();
  const names = new Set<string>();
  const { connect } = net.Socket.prototype;
  const { lookup } = dns;
  const { lookup: promised } = dns.promises;

  net.Socket.prototype.connect = function (this: net.Socket, ...given: unknown[]) {
    const host = hostOf(given);
    if (host !== undefined) hosts.add(host);
    if (host === undefined || isLoopback(host)) return Reflect.apply(connect, this, given);
    queueMicrotask(() => this.destroy(blockedError(host)));
    return this;
  } as typeof connect;
  dns.lookup = ((name: string, ...rest: unknown[]) => {
    names.add(name);
    const done = rest.at(-1) as (error: Error) => void;
    if (isLoopback(name)) Reflect.apply(lookup, dns, [name, ...rest]);
    else queueMicrotask(() => done(blockedError(name)));
  }) as typeof dns.lookup;
  dns.promises.lookup = (async (name: string, ...rest: unknown[]) => {
    names.add(name);
    if (isLoopback(name)) return Reflect.apply(promised, dns.promises, [name, ...rest]);
    throw blockedError(name);
  }) as typeof dns.promises.lookup;
  syncBuiltinESMExports();

  return {
    hosts,
    names,
    restore() {
      net.Socket.prototype.connect = connect;
      dns.lookup = lookup;
      dns.promises.lookup = promised;
      syncBuiltinESMExports();
    },
  };
}

/** All attempts to reach another machine. */
export const externalHosts = ({ hosts, names }: NetworkWatch): string[] =>
  [...new Set([...hosts, ...names])].filter((host) => !isLoopback(host)).sort();
