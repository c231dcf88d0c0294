import { Link } from '../router.js';

interface TabsProps {
  readonly label: string;
  readonly tabs: ReadonlyArray<readonly [path: string, title: string]>;
  readonly current: string;
}

/** Links to the tabs of a page. */
export const Tabs = ({ label, tabs, current }: TabsProps) => (
  <nav class="links tabs" aria-label={label}>
    {tabs.map(([path, title]) => (
      <Link key={path} to={path} current={path === current}>
        {title}
      </Link>
    ))}
  </nav>
);
