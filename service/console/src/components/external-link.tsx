import type { ComponentChildren } from 'preact';
import { texts } from '../texts/index.js';

/** A URL as people name it: the host and the end of the path. */
export function shortUrl(url: string): string {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: url, pathname: '' };
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const last = segments.at(-1);
  if (last === undefined) return host;
  const end = last.length > 40 ? `${last.slice(0, 40)}…` : last;
  return `${host}/${segments.length > 1 ? '…/' : ''}${end}`;
}

/** A link marked as external. Anything other than a web or mail link stays plain text. */
export function ExternalLink({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  if (!/^(https?:\/\/|mailto:)\S+$/i.test(href)) return <>{children}</>;
  return (
    <a class="external" href={href} title={href} target="_blank" rel="noopener noreferrer">
      {children}
      <span class="hidden"> {texts.newTab}</span>
    </a>
  );
}
