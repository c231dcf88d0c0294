import type { Scope, Workspace } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { absent } from '../../domain/refusal.js';
import { type Caller, scopeNamed } from '../api/authenticate.js';
import type { Services } from '../api/route.js';

/** Who asks, and for which workspace. */
export interface McpClient {
  readonly caller: Caller;
  readonly scope: Scope;
  readonly workspace: Workspace;
}

/** Told who asks as soon as that is known, so that a refusal can be logged with it. */
export type Identified = (caller: Caller, scope: Scope | undefined) => void;

const defaultWorkspace = 'default';

/** Finds out who asks, by the rules of every other route; the workspace is a scoped token's own, or named by a header. */
export async function clientOf(
  { headers }: Request,
  { authenticate, state }: Services,
  identified: Identified,
): Promise<McpClient> {
  const caller = await authenticate(headers);
  identified(caller, caller.scope);
  const scope = await scopeNamed(caller, state);
  identified(caller, scope);
  return { caller, scope, workspace: await workspaceNamed(headers.get('x-workspace'), scope, state) };
}

async function workspaceNamed(named: string | null, scope: Scope, { workspaces }: State): Promise<Workspace> {
  const own = named === null && scope.workspaceId !== undefined;
  const found = own
    ? (await workspaces.list(scope, { limit: 1 })).rows[0]
    : await workspaces.find(scope, named ?? defaultWorkspace);
  if (found) return found;
  throw absent(own ? 'workspace of this token any more' : `workspace '${(named ?? defaultWorkspace).slice(0, 100)}'`);
}
