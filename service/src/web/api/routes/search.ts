import { type WorkspaceSearch, WorkspaceSearchRequest, WorkspaceSearchResponse } from 'agent-connectors/wire';
import type { ConnectorRow } from '../../../data/state/rows.js';
import { searchWorkspace } from '../../../domain/connectors/workspace-search.js';
import { fieldError, notFoundError } from '../../../domain/http-error.js';
import { invalidError } from '../input.js';
import { type Call, type Route, route } from '../route.js';

/** A workspace's connectors, or the requested ones. */
async function connectorsIn(
  call: Call<unknown, unknown>,
  workspaceName: string,
  wanted: Pick<WorkspaceSearch, 'connector_ids' | 'connectors'>,
): Promise<ConnectorRow[]> {
  const { scope, services } = call;
  const rows = await services.state.connectors.all(scope, workspaceName);
  const refused = [
    ...unknownOf('connector_ids', wanted.connector_ids, new Set(rows.map(({ id }) => id))),
    ...unknownOf('connectors', wanted.connectors, new Set(rows.map((row) => row.name))),
  ];
  if (refused.length > 0) throw invalidError('The body', refused);
  return rows.filter(
    (row) => (wanted.connector_ids?.includes(row.id) ?? true) && (wanted.connectors?.includes(row.name) ?? true),
  );
}

const unknownOf = (field: string, given: readonly string[] = [], known: ReadonlySet<string>) =>
  given
    .filter((one) => !known.has(one))
    .map((one) => fieldError(field, `contains '${one.slice(0, 100)}', which is not a connector in the workspace`));

const search = route({
  method: 'POST',
  path: '/api/v1/workspaces/{name}/search',
  operationId: 'searchWorkspace',
  summary: 'Semantic search across all connectors in a workspace, best hits first.',
  access: 'organization',
  tokenScope: 'read',
  isChange: false,
  forPersons: true,
  body: WorkspaceSearchRequest,
  response: WorkspaceSearchResponse,
  errors: [404],
  async handle(call) {
    const { params, body, scope, services, requestId } = call;
    const { name = '' } = params;
    if (!(await services.state.workspaces.find(scope, name))) throw notFoundError(`workspace '${name.slice(0, 200)}'`);
    const { connector_ids, connectors, ...input } = body;
    const rows = await connectorsIn(call, name, { connector_ids, connectors });
    return services.telemetry.span('search workspace', { connectors: rows.length }, () =>
      searchWorkspace(rows, input, { ...services, report: (error) => services.report(error, requestId) }),
    );
  },
});

/** Routes that search several connectors. */
export const searchRoutes: readonly Route[] = [search];
