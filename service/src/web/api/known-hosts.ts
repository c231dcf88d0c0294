import { isIP } from 'node:net';

/** Whether the service accepts this host name; an empty one is rejected. */
export type IsKnownHost = (name: string) => boolean;

/** Which host names the service accepts. */
export interface HostNameOptions {
  /** Names configured by the operator; `*` for any. */
  readonly hostNames?: readonly string[] | undefined;
  readonly publicUrl?: string | undefined;
  /** The address the service listens on. */
  readonly host: string;
}

/**
 * Checks host names, so DNS rebinding to this machine fails.
 *
 * In such an attack, the page's own host is never a numeric address, so numeric addresses are accepted. A service on a
 * public interface without configured names cannot know which names are its own, so it accepts all.
 */
export function knownHosts({ hostNames, publicUrl, host }: HostNameOptions): IsKnownHost {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host);
  const configured = [...(hostNames ?? []), ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])];
  if (hostNames?.includes('*') || (!isLocal && configured.length === 0)) return () => true;
  const names = new Set([...configured, 'localhost', host].map((name) => name.toLowerCase()));
  return (name) => isIP(name.replace(/^\[|\]$/g, '')) !== 0 || names.has(name.toLowerCase().replace(/\.$/, ''));
}

/** The name in a `Host` header, without the port. */
export const hostNameOf = (header: string): string => header.trim().replace(/:\d*$/, '');
