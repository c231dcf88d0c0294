import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const base = '/console';
const navigationEvent = 'console:moved';

/** Navigates to a console page. */
export function navigate(path: string): void {
  history.pushState(null, '', base + path);
  dispatchEvent(new Event(navigationEvent));
}

/** The current page's path, relative to the console's base URL. */
export function usePath(): string {
  const [path, setPath] = useState(currentPath);
  useEffect(() => {
    const update = () => setPath(currentPath());
    for (const event of [navigationEvent, 'popstate']) addEventListener(event, update);
    return () => {
      for (const event of [navigationEvent, 'popstate']) removeEventListener(event, update);
    };
  }, []);
  return path;
}

const currentPath = (): string => location.pathname.slice(base.length).replace(/\/$/, '') || '/';

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** Whether the link points to the current page. */
  readonly current?: boolean;
}

/** A link within the console. */
export const Link = ({ to, children, current = false, class: name }: LinkProps) => (
  <a
    href={base + to}
    class={name}
    aria-current={current ? 'page' : undefined}
    onClick={(event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      navigate(to);
    }}
  >
    {children}
  </a>
);
