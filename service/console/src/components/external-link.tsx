import type { ComponentChildren } from 'preact';
import { texts } from '../texts/index.js';

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
