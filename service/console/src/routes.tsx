import type { ComponentChildren } from 'preact';
import { AccessPage } from './pages/access.js';
import { AgentsPage } from './pages/agents.js';
import { ApprovalsPage } from './pages/approvals.js';
import { AuditPage } from './pages/audit.js';
import { ConnectorPage } from './pages/connector.js';
import { ConnectorsPage } from './pages/connectors.js';
import { SearchPage } from './pages/search.js';
import { WebhooksPage } from './pages/webhooks.js';
import { texts } from './texts/index.js';

interface Route {
  /** The first segment of its URLs. */
  readonly path: `/${string}`;
  /** Its title in the navigation, or the path of the navigation entry that it belongs to. */
  readonly navigation: { readonly title: string } | { readonly within: `/${string}` };
  /** The page for the segments after the first one; undefined if there is none. */
  readonly page: (segments: readonly string[]) => ComponentChildren;
}

/** The pages of the console, in the order of the navigation. */
export const routes: readonly Route[] = [
  { path: '/', navigation: { title: texts.connectors.title }, page: () => <ConnectorsPage /> },
  {
    path: '/connectors',
    navigation: { within: '/' },
    page: ([id, tab = 'replica', ...rest]) => id && <ConnectorPage id={id} tab={tab} rest={rest} key={id} />,
  },
  { path: '/search', navigation: { title: texts.search.title }, page: () => <SearchPage /> },
  { path: '/agents', navigation: { title: texts.agents.title }, page: () => <AgentsPage /> },
  { path: '/approvals', navigation: { title: texts.approvals.title }, page: () => <ApprovalsPage /> },
  { path: '/webhooks', navigation: { title: texts.webhooks }, page: ([id]) => <WebhooksPage id={id} /> },
  { path: '/audit', navigation: { title: texts.audit.title }, page: () => <AuditPage /> },
  { path: '/access', navigation: { title: texts.access }, page: () => <AccessPage /> },
];

/** The page at a path, if there is one, and the path of its navigation entry. */
export function resolvePath(path: string): { readonly page: ComponentChildren; readonly entry: string | undefined } {
  const [, first = '', ...segments] = path.split('/');
  const route = routes.find((candidate) => candidate.path === `/${first}`);
  if (!route) return { page: undefined, entry: undefined };
  const { navigation } = route;
  return { page: route.page(segments), entry: 'within' in navigation ? navigation.within : route.path };
}
