import { isIP } from 'node:net';

/** Whether the service may be addressed by this name; an empty one is none. */
export type IsOwnName = (name: string) => boolean;

/** What decides by which names the service may be addressed. */
export interface HostNameOptions {
  /** Names that the operator has given; `*` for any. */
  readonly hostNames?: readonly string[] | undefined;
  readonly publicUrl?: string | undefined;
  /** Where the service listens. */
  readonly host: string;
}

/**
 * Knows the names of the service, so that a page whose own name leads to this machine reaches nothing.
 *
 * An address in numbers is never such a page's name. A service that is reached from elsewhere and was told no name
 * cannot know its own.
 */
export function ownNames({ hostNames, publicUrl, host }: HostNameOptions): IsOwnName {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host);
  const told = [...(hostNames ?? []), ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])];
  if (hostNames?.includes('*') || (!isLocal && told.length === 0)) return () => true;
  const names = new Set([...told, 'localhost', host].map((name) => name.toLowerCase()));
  return (name) => isIP(name.replace(/^\[|\]$/g, '')) !== 0 || names.has(name.toLowerCase().replace(/\.$/, ''));
}

/** The name in a `Host` header, without the port. */
export const nameIn = (header: string): string => header.trim().replace(/:\d*$/, '');
