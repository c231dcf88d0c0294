import type { ComponentChildren } from 'preact';
import { lazy } from './components/lazy.js';
import { ConnectorsPage } from './pages/connectors.js';
import { OverviewPage } from './pages/overview.js';
import { texts } from './texts/index.js';

// Only the first pages are part of what is loaded first.
const ConnectorPage = lazy(() => import('./pages/connector.js').then((module) => module.ConnectorPage));
const SearchPage = lazy(() => import('./pages/search.js').then((module) => module.SearchPage));
const AgentsPage = lazy(() => import('./pages/agents.js').then((module) => module.AgentsPage));
const ApprovalsPage = lazy(() => import('./pages/approvals.js').then((module) => module.ApprovalsPage));
const WebhooksPage = lazy(() => import('./pages/webhooks.js').then((module) => module.WebhooksPage));
const AuditPage = lazy(() => import('./pages/audit.js').then((module) => module.AuditPage));
const AccessPage = lazy(() => import('./pages/access.js').then((module) => module.AccessPage));

interface Route {
  /** The first segment of its URLs. */
  readonly path: `/${string}`;
  /** Its title in the navigation. */
  readonly title: string;
  /** The page for the segments after the first one; undefined if there is none. */
  readonly page: (segments: readonly string[]) => ComponentChildren;
}

/** The pages of the console, in the order of the navigation. */
export const routes: readonly Route[] = [
  { path: '/', title: texts.overview.title, page: () => <OverviewPage /> },
  {
    path: '/connectors',
    title: texts.connectors.title,
    page: ([id, tab = '', ...rest]) =>
      id === undefined ? <ConnectorsPage /> : <ConnectorPage id={id} tab={tab} rest={rest} key={id} />,
  },
  { path: '/search', title: texts.search.title, page: () => <SearchPage /> },
  { path: '/agents', title: texts.agents.title, page: () => <AgentsPage /> },
  { path: '/approvals', title: texts.approvals.title, page: () => <ApprovalsPage /> },
  { path: '/webhooks', title: texts.webhooks, page: ([id]) => <WebhooksPage id={id} /> },
  { path: '/audit', title: texts.audit.title, page: () => <AuditPage /> },
  { path: '/access', title: texts.access, page: () => <AccessPage /> },
];

/** The page at a path, if there is one, and the path of its navigation entry. */
export function resolvePath(path: string): { readonly page: ComponentChildren; readonly entry: string | undefined } {
  const [, first = '', ...segments] = path.split('/');
  const route = routes.find((candidate) => candidate.path === `/${first}`);
  if (!route) return { page: undefined, entry: undefined };
  return { page: route.page(segments), entry: route.path };
}
