import { useEffect, useRef } from 'preact/hooks';
import { AccessPage } from './pages/access.js';
import { AgentsPage } from './pages/agents.js';
import { ApprovalsPage } from './pages/approvals.js';
import { AuditPage } from './pages/audit.js';
import { ConnectorPage } from './pages/connector.js';
import { ConnectorsPage } from './pages/connectors.js';
import { SearchPage } from './pages/search.js';
import { WebhooksPage } from './pages/webhooks.js';
import { Link, usePath } from './router.js';
import { useConsole } from './session.js';
import { texts } from './texts/index.js';

const navigationItems = [
  { path: '/', title: texts.connectors.title },
  { path: '/search', title: texts.search.title },
  { path: '/agents', title: texts.agents.title },
  { path: '/approvals', title: texts.approvals.title },
  { path: '/webhooks', title: texts.webhooks },
  { path: '/audit', title: texts.audit.title },
  { path: '/access', title: texts.access },
] as const;

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
  useEffect(() => {
    document.querySelector('.bar [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (lastPath.current.split('/')[2] === path.split('/')[2] && path.startsWith('/connectors/')) return;
    lastPath.current = path;
    // Moves screen readers to the new page instead of leaving them on the link.
    main.current?.focus();
  }, [path]);
  const isCurrent = (place: string) =>
    path === place || (place === '/' ? path.startsWith('/connectors') : path.startsWith(`${place}/`));
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
          {navigationItems.map(({ path, title }) => (
            <Link key={path} to={path} current={isCurrent(path)}>
              {title}
            </Link>
          ))}
        </nav>
        <div class="who">
          {session.organizations.length > 1 ? (
            <select
              aria-label={texts.organization}
              value={organization}
              onChange={({ currentTarget }) => choose(currentTarget.value)}
            >
              {session.organizations.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          ) : null}
          <span class="quiet" title={session.client_id}>
            {session.name}
          </span>
          <button type="button" class="plain" onClick={signOut}>
            {texts.signOut}
          </button>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} key={organization}>
        <Page path={path} />
      </main>
    </>
  );
}

function Page({ path }: { readonly path: string }) {
  const [, first = '', id, tab, ...rest] = path.split('/');
  if (first === '') return <ConnectorsPage />;
  if (first === 'connectors' && id !== undefined)
    return <ConnectorPage id={id} tab={tab ?? 'replica'} rest={rest} key={id} />;
  if (first === 'search') return <SearchPage />;
  if (first === 'agents') return <AgentsPage />;
  if (first === 'approvals') return <ApprovalsPage />;
  if (first === 'webhooks') return <WebhooksPage id={id} />;
  if (first === 'audit') return <AuditPage />;
  if (first === 'access') return <AccessPage />;
  return (
    <>
      <h1>{texts.notFound}</h1>
      <p>
        <Link to="/">{texts.connectors.all}</Link>
      </p>
    </>
  );
}
