import { useEffect, useRef } from 'preact/hooks';
import { Link } from '../router.js';

interface TabsProps {
  readonly label: string;
  readonly tabs: ReadonlyArray<readonly [path: string, title: string]>;
  readonly current: string;
}

/** Links to the tabs of a page; the current one is scrolled into view. */
export function Tabs({ label, tabs, current }: TabsProps) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => showCurrent(nav.current), [current]);
  return (
    <nav ref={nav} class="links tabs" aria-label={label}>
      {tabs.map(([path, title]) => (
        <Link key={path} to={path} current={path === current}>
          {title}
        </Link>
      ))}
    </nav>
  );
}

/** Scrolls the current link of a navigation to its middle, where no shadow covers it. */
export function showCurrent(nav: Element | null | undefined): void {
  nav?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
}
