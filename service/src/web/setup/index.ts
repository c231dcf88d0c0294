import type { Route } from '../api/route.js';
import type { SetupDependencies } from './dependencies.js';
import { type SetupPage, setupPages } from './pages.js';
import { setupRoutes } from './routes.js';
import { sessionRoutes } from './sessions.js';

export type { SetupPage } from './pages.js';

/** The setup flow: its API and pages. */
export interface SetupMount {
  readonly routes: readonly Route[];
  readonly pages: readonly SetupPage[];
}

export const mountSetup = (dependencies: SetupDependencies): SetupMount => ({
  routes: [...setupRoutes(dependencies), ...sessionRoutes(dependencies)],
  pages: setupPages(dependencies),
});
