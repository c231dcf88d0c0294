import { getCall, listCalls, listTranscripts } from './calls.js';
import { listCoaching } from './coaching.js';
import type { GongContext } from './context.js';
import { listExtensive } from './extensive.js';
import { listAnswered } from './scorecards.js';
import { getFolderContent, listFolders, listScorecards, listTrackers, listWorkspaces } from './settings.js';
import { listAggregate, listDayByDay, listInteraction } from './stats.js';
import { getUser, listUsers } from './users.js';

/** A path of Gong's API. */
export interface Route {
  method: 'GET' | 'POST';
  path: RegExp;
  /** Required OAuth scope. */
  scope: string;
  answer(reading: GongContext): object;
}

function route(method: Route['method'], path: string, scope: string, answer: Route['answer']): Route {
  return { method, path: new RegExp(`^/v2/${path.replace('{id}', '([^/]+)')}$`), scope, answer };
}

/** All paths, the more specific ones first. */
const routes: readonly Route[] = [
  route('GET', 'users', 'api:users:read', listUsers),
  route('GET', 'users/{id}', 'api:users:read', getUser),
  route('GET', 'calls', 'api:calls:read:basic', listCalls),
  route('POST', 'calls/extensive', 'api:calls:read:extensive', listExtensive),
  route('POST', 'calls/transcript', 'api:calls:read:transcript', listTranscripts),
  route('GET', 'calls/{id}', 'api:calls:read:basic', getCall),
  route('GET', 'workspaces', 'api:workspaces:read', listWorkspaces),
  route('POST', 'stats/activity/aggregate', 'api:stats:user-actions', listAggregate),
  route('POST', 'stats/activity/day-by-day', 'api:stats:user-actions:detailed', listDayByDay),
  route('POST', 'stats/activity/scorecards', 'api:stats:scorecards', listAnswered),
  route('POST', 'stats/interaction', 'api:stats:interaction', listInteraction),
  route('GET', 'settings/scorecards', 'api:settings:scorecards:read', listScorecards),
  route('GET', 'settings/trackers', 'api:settings:trackers:read', listTrackers),
  route('GET', 'library/folders', 'api:library:read', listFolders),
  route('GET', 'library/folder-content', 'api:library:read', getFolderContent),
  route('GET', 'coaching', 'api:coaching:read', listCoaching),
];

/** Finds the route for a path, and its parameters. */
export function matchRoute(
  method: string,
  path: string,
): { route: Route; parts: string[] } | { allow: string } | undefined {
  const matching = routes.filter((one) => one.path.test(path));
  const match = matching.find((one) => one.method === method);
  if (match) return { route: match, parts: match.path.exec(path)!.slice(1).map(decodeSegment) };
  return matching.length > 0 ? { allow: [...new Set(matching.map((one) => one.method))].join(', ') } : undefined;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
