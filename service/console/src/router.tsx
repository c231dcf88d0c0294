import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const base = '/console';
const moved = 'console:moved';

/** Goes to a page of the console. */
function go(path: string): void {
  history.pushState(null, '', base + path);
  dispatchEvent(new Event(moved));
}

/** The path of the page that is shown, below the console's own address. */
export function usePath(): string {
  const [path, setPath] = useState(here);
  useEffect(() => {
    const update = () => setPath(here());
    for (const event of [moved, 'popstate']) addEventListener(event, update);
    return () => {
      for (const event of [moved, 'popstate']) removeEventListener(event, update);
    };
  }, []);
  return path;
}

const here = (): string => location.pathname.slice(base.length).replace(/\/$/, '') || '/';

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** Whether it leads to where one is. */
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
      go(to);
    }}
  >
    {children}
  </a>
);
