import type { ConnectorRow } from '../../../data/state/rows.js';
import { searchWorkspace } from '../../../domain/connectors/workspace-search.js';
import { fieldError, notFoundError } from '../../../domain/http-error.js';
import { invalidError } from '../../../domain/validate.js';
import { WorkspaceSearchRequest, WorkspaceSearchResponse } from '../replication-schemas.js';
import { type Call, type Route, route } from '../route.js';

/** So many connectors are searched at once. */
const maxConnectors = 500;

/** The connectors of a workspace, or those of them that are named. */
async function connectorsIn(
  call: Call<unknown, unknown>,
  workspaceName: string,
  ids?: readonly string[],
): Promise<ConnectorRow[]> {
  const { scope, services } = call;
  const { rows } = await services.state.connectors.list(scope, { workspaceName, limit: maxConnectors });
  if (!ids) return rows;
  const unknown = ids.filter((id) => !rows.some((row) => row.id === id));
  if (unknown.length === 0) return rows.filter(({ id }) => ids.includes(id));
  throw invalidError(
    'The body',
    unknown.map((id) =>
      fieldError('connector_ids', `has '${id.slice(0, 100)}', which is no connector of the workspace`),
    ),
  );
}

const search = route({
  method: 'POST',
  path: '/api/v1/workspaces/{name}/search',
  operationId: 'searchWorkspace',
  summary: 'Search everything that the connectors of a workspace have replicated by meaning, the best hits first.',
  access: 'organization',
  tokenScope: 'read',
  body: WorkspaceSearchRequest,
  response: WorkspaceSearchResponse,
  errors: [404],
  async handle(call) {
    const { params, body, scope, services, requestId } = call;
    const { name = '' } = params;
    if (!(await services.state.workspaces.find(scope, name))) throw notFoundError(`workspace '${name.slice(0, 200)}'`);
    const { connector_ids, ...input } = body;
    const rows = await connectorsIn(call, name, connector_ids);
    return services.telemetry.span('search workspace', { connectors: rows.length }, () =>
      searchWorkspace(rows, input, { ...services, report: (error) => services.report(error, requestId) }),
    );
  },
});

/** Searching more than one connector. */
export const searchRoutes: readonly Route[] = [search];
