import { ConnectorError, graphql, type HttpRequest, reading } from '../../src/authoring.js';
import { root } from './operations.js';

/** Project states, as named in this connector's contract. */
export const projectStates = ['backlog', 'planned', 'started', 'paused', 'completed', 'canceled'] as const;

interface Status {
  readonly id: string;
  readonly type: string;
  readonly position: number;
  readonly archivedAt: string | null;
  /** The team that it belongs to; null for a status of the workspace. */
  readonly team?: { readonly id: string } | null;
}

type State = (typeof projectStates)[number];

const statuses = (fields: string) =>
  `query($after: String) { projectStatuses(first: 250, after: $after) { nodes { id name type position archivedAt ${fields}} pageInfo { hasNextPage endCursor } } }`;
const current = 'query($id: String!) { project(id: $id) { id status { id type } teams(first: 50) { nodes { id } } } }';

/** All statuses in the workspace. Not cached between calls: an administrator may change them at any time. */
function* allStatuses(): Generator<HttpRequest, Status[], any> {
  try {
    return yield* statusesWith('team { id } ');
  } catch (error) {
    if (!isUnknownTeam(error)) throw error;
    // Without this field, Linear has only statuses of the workspace.
    return yield* statusesWith('');
  }
}

/** Whether this version of Linear's schema has no `ProjectStatus.team`. */
const isUnknownTeam = (error: unknown): boolean =>
  ConnectorError.is(error) && /Cannot query field "team" on type "ProjectStatus"/.test(error.vendor?.message ?? '');

function* statusesWith(fields: string): Generator<HttpRequest, Status[], any> {
  const found: Status[] = [];
  let after: string | undefined;
  for (;;) {
    const { nodes, pageInfo } = root(yield reading(graphql(statuses(fields), { after })), 'projectStatuses');
    found.push(...nodes);
    if (!pageInfo.hasNextPage) return found;
    if (!pageInfo.endCursor || pageInfo.endCursor === after) {
      throw new ConnectorError('invalid_response', 'Linear reported more project statuses but sent no new cursor.');
    }
    after = pageInfo.endCursor;
  }
}

/**
 * Replaces `state` with the `statusId` that Linear expects.
 *
 * Several statuses may have the same type: the project's team may have its own, which precede the workspace's, and the
 * first in Linear's order is used. A project that already has one of that type keeps it.
 */
export function* withStatus<P extends { readonly id?: string; readonly state?: State | undefined }>(
  params: P & { readonly teamIds?: readonly string[] | undefined },
): Generator<HttpRequest, Record<string, unknown>, any> {
  const { state, ...input } = params;
  if (state === undefined) return input;
  let { teamIds } = params;
  if (params.id !== undefined) {
    const { status, teams } = root(yield reading(graphql(current, { id: params.id })), 'project');
    if (status?.type === state) return input;
    teamIds ??= teams?.nodes?.map(({ id }: { id: string }) => id);
  }
  const all = yield* allStatuses();
  const usable = all.filter(({ archivedAt, team }) => !archivedAt && (!team || teamIds?.includes(team.id)));
  const [first] = usable
    .filter(({ type }) => type === state)
    .sort((a, b) => Number(!a.team) - Number(!b.team) || a.position - b.position);
  if (first) return { ...input, statusId: first.id };
  const types = [...new Set(usable.map(({ type }) => type))].join(', ');
  throw new ConnectorError(
    'invalid_params',
    `This Linear workspace has no project status of type '${state}'. Available types: ${types}.`,
    {
      issues: [{ path: 'state', message: `this workspace has no status of type '${state}'` }],
      vendor: { message: types },
      hint: 'Add one in Linear under Settings > Projects > Statuses.',
    },
  );
}
