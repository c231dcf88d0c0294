import type { Scope } from '../../data/state/rows.js';
import type { State, WorkspaceListing } from '../../data/state/types.js';
import { requireTokenScope } from '../../domain/connectors/gate.js';
import { notFoundError } from '../../domain/http-error.js';
import { requireScope } from '../api/handle-request.js';
import type { Caller, Services } from '../api/route.js';

/** The caller and its workspace. */
export interface McpClient extends WorkspaceListing {
  readonly caller: Caller;
  readonly scope: Scope;
}

/** Receives the caller as soon as it is known so that a rejection can be logged with it. */
export type OnIdentified = (caller: Caller, scope: Scope | undefined) => Promise<void>;

const defaultWorkspace = 'default';

/**
 * Identifies who shares sessions, cached completions, handles of truncated results and downloaded files: tokens of one grant, or of
 * one client and workspace, that are bound to the same user with the same groups.
 */
export function principalOf({ caller: { asUser, client, grantId }, workspace }: McpClient): string {
  const person = asUser && [asUser.email, ...[...new Set(asUser.groups)].sort()];
  return JSON.stringify([grantId ?? [client.id, workspace.id], person]);
}

/** Authenticates like every other route; the workspace comes from a scoped token or a header. */
export async function clientOf(
  { headers }: Request,
  { authenticate, state }: Services,
  onIdentified: OnIdentified,
): Promise<McpClient> {
  const caller = await authenticate(headers, 'mcp');
  await onIdentified(caller, caller.scope);
  const scope = await requireScope(caller, state);
  await onIdentified(caller, scope);
  requireTokenScope(caller.scopes, 'read');
  return { caller, scope, ...(await requireWorkspace(headers.get('x-workspace'), scope, state)) };
}

async function requireWorkspace(header: string | null, scope: Scope, { access }: State): Promise<WorkspaceListing> {
  const isTokenWorkspace = header === null && scope.workspaceId !== undefined;
  const name = header ?? defaultWorkspace;
  const found = await access.workspace(scope, isTokenWorkspace ? undefined : name);
  if (found) return found;
  throw notFoundError(isTokenWorkspace ? 'workspace for this token' : `workspace '${name.slice(0, 100)}'`);
}
