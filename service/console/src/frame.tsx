import { useLayoutEffect, useRef } from 'preact/hooks';
import { Palette } from './components/palette.js';
import { Select } from './components/select.js';
import { showCurrent } from './components/tabs.js';
import { Link, usePath } from './router.js';
import { resolvePath, routes } from './routes.js';
import { useConsole } from './session.js';
import { texts } from './texts/index.js';

interface FrameProps {
  readonly choose: (organization: string) => void;
  readonly signOut: () => void;
}

/** Navigation and the current page. */
export function Frame({ choose, signOut }: FrameProps) {
  const path = usePath();
  const { session, organization } = useConsole();
  const main = useRef<HTMLElement>(null);
  const lastPath = useRef(path);
  // Before anything can be typed into the new page.
  useLayoutEffect(() => {
    showCurrent(document.querySelector('.bar'));
    // A page that was just loaded begins with the navigation.
    if (lastPath.current === path) return;
    if (lastPath.current.split('/')[2] === path.split('/')[2] && path.startsWith('/connectors/')) return;
    lastPath.current = path;
    // Moves screen readers to the new page instead of leaving them on the link.
    main.current?.focus();
  }, [path]);
  const { page, entry } = resolvePath(path);
  return (
    <>
      <a class="skip" href="#main">
        {texts.skip}
      </a>
      <header class="bar">
        <span class="brand" aria-hidden="true">
          agent-connectors
        </span>
        <nav class="links" aria-label={texts.console}>
          {routes.map(({ path, title }) => (
            <Link key={path} to={path} current={path === entry}>
              {title}
            </Link>
          ))}
        </nav>
        <div class="who">
          {session.organizations.length > 1 ? (
            <Select
              control={{ 'aria-label': texts.organization }}
              value={organization ?? ''}
              options={session.organizations.map(({ id, name }) => [id, name])}
              choose={choose}
            />
          ) : null}
          <span class="quiet" title={session.client_id}>
            {session.name}
          </span>
          <button type="button" class="plain" onClick={signOut}>
            {texts.signOut}
          </button>
        </div>
      </header>
      <Palette pages={routes.map(({ path, title }) => [path, title])} />
      <main id="main" ref={main} tabIndex={-1} key={organization}>
        {page || <NotFound />}
      </main>
    </>
  );
}

const NotFound = () => (
  <>
    <h1>{texts.notFound}</h1>
    <p>
      <Link to="/connectors">{texts.connectors.all}</Link>
    </p>
  </>
);
