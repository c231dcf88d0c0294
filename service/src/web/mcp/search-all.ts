import type { SearchAll } from 'agent-connectors/tools';
import { WorkspaceSearchRequest } from 'agent-connectors/wire';
import type { ConnectorRow } from '../../data/state/rows.js';
import { searchWorkspace } from '../../domain/connectors/workspace-search.js';
import { asConnectorError } from '../../domain/http-error.js';
import { validate } from '../api/input.js';
import type { Services } from '../api/route.js';

const SearchInput = WorkspaceSearchRequest.omit({ connector_ids: true, connectors: true });

/**
 * Workspace search for the `search` tool. The rules are the same as over HTTP, but connectors go by the names that the
 * tools use.
 */
export const searchAllOf =
  (rows: ReadonlyMap<string, ConnectorRow>, services: Services): SearchAll =>
  async ({ connectors, ...query }) => {
    const searched = [...rows].filter(([name]) => connectors?.includes(name) ?? true);
    const nameOf = new Map(searched.map(([name, { id }]) => [id, name]));
    const named = <T extends { readonly connector: { readonly id: string } }>(found: T) => ({
      ...found,
      connector: { ...found.connector, name: nameOf.get(found.connector.id)! },
    });
    try {
      const { data, meta } = await services.telemetry.span('search workspace', { connectors: searched.length }, () =>
        searchWorkspace(
          searched.map(([, row]) => row),
          validate(SearchInput, query, 'The search'),
          { ...services, report: (error) => services.report(error, 'mcp') },
        ),
      );
      return { data: data.map(named), meta: { ...meta, skipped: meta.skipped.map(named) } };
    } catch (failure) {
      throw asConnectorError(failure);
    }
  };
